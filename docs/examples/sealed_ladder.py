"""Proves the keys of a sealed ladder by its facts alone (results.md, 11), with Python's library.

python sealed_ladder.py facts.jsonl
"""

import hashlib
import hmac
import json
import sys


def check(fits: bool, what: str) -> None:  # the plainest way
    """End with what is wrong."""
    if not fits:
        sys.exit(what)


def main(path: str) -> None:
    """Print how many matches of each epoch had the keys that they had to have."""
    with open(path, "rb") as file:
        lines = [json.loads(line) for line in file]
    sealed = {line["fact"]["epoch"]: line for line in lines if line["fact"]["type"] == "Sealed"}
    begun = {
        line["fact"]["epoch"]: line["fact"]["beacon"]
        for line in lines
        if line["fact"]["type"] == "Begun"
    }
    jobs = [line["fact"]["job"] for line in lines if line["fact"]["type"] == "Match"]
    for told in (line["fact"] for line in lines if line["fact"]["type"] == "Revealed"):
        epoch = told["epoch"]
        secret = hashlib.sha256(told["secret"].encode()).digest()
        commitment = sealed[epoch]["fact"]["commitment"]
        check(hashlib.sha256(secret).hexdigest() == commitment, "another secret")
        message = f"seal\n{sealed[epoch]['hash']}\n{begun[epoch]}\n"
        key = hmac.new(secret, message.encode(), "sha256").hexdigest()
        event, proved = hashlib.sha256(key.encode()).digest(), 0
        for job in jobs:
            if "draw" in job and job["draw"]["name"][0] == epoch:
                number = str(job["draw"]["name"][1]).encode()
                check(job["key"] == hmac.new(event, number, "sha256").hexdigest(), "another key")
                proved += 1
        print(f"epoch {epoch}: {proved}")


main(sys.argv[1])
