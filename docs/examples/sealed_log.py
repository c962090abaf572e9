"""Proves the decks of a sealed event by its log alone (results.md, 1), with Python's own library.

python sealed_log.py log.jsonl
"""

import hashlib
import hmac
import json
import sys


def sha256(text: str) -> str:
    """Return 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def check(fits: bool, what: str) -> None:  # the plainest way
    """End with what is wrong."""
    if not fits:
        sys.exit(what)


def main(path: str) -> None:
    """Print the key that the decks follow from."""
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    header, told, end = json.loads(lines[0]), json.loads(lines[1]), json.loads(lines[-1])
    plan, before = header["plan"], b""
    for line in lines:
        body, digits = line[:-66], line[-66:]
        before = hashlib.sha256(before + body).hexdigest().encode()
        check(digits == before + b'"}', "the chain is broken")
    text = lines[0].split(b'"plan":', 1)[1].rpartition(b',"hash":"')[0]
    check(hashlib.sha256(text).hexdigest() == header["digest"], "the plan is another")
    secret = hashlib.sha256(end["key"].encode()).digest()
    check(hashlib.sha256(secret).hexdigest() == plan["commitment"], "another secret")
    for due, given in zip(plan["seal"]["commitments"], told["contributions"], strict=True):
        check(not given or sha256(f"contribution:{given}") == due, "another contribution")
    message = "\n".join(["seal", header["digest"], *told["contributions"], told["beacon"], ""])
    key = hmac.new(secret, message.encode(), "sha256").hexdigest()
    event = hashlib.sha256(key.encode()).digest()
    rounds = {tuple(one["round"]): one for one in map(json.loads, lines) if "round" in one}
    for match in (one for one in map(json.loads, lines) if "match" in one):
        section, number, _, part = match["match"]
        round_, size = rounds[section, number], plan["match_blocks"]
        blocks = range(round_["first"], round_["first"] + round_["blocks"])
        keys = (
            hmac.new(event, str(block).encode(), "sha256").hexdigest()
            for block in blocks[part * size : (part + 1) * size]
        )
        check(sha256("".join(f"{one}\n" for one in keys)) == match["decks"], "other decks")
    print(key)


main(sys.argv[1])
