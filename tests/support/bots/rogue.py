"""Bots that misbehave, one for each word; they play the first legal action until they do."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time

mode = sys.argv[1]
acts = 0
helpers: list[int] = []
buffered = os.fdopen(os.dup(1), "w", buffering=8192)  # as most languages have it


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(message: dict[str, object], **more: object) -> None:
    legal = message["legal"]
    assert isinstance(legal, list)
    say(json.dumps({"id": message["id"], "action": legal[0], **more}))


def spin() -> None:
    while True:
        pass


def flood_stderr() -> None:
    for _ in range(2000):
        sys.stderr.write("x" * 16384)


def start_helper() -> int:
    """Starts an engine through a process that has gone: its parent is now the referee."""
    code = "import subprocess,sys; print(subprocess.Popen(sys.argv[1:], stdout=2).pid)"
    engine = [sys.executable, "-S", "-c", "import time; time.sleep(60)", sys.argv[-1]]
    between = [sys.executable, "-S", "-c", code, *engine]
    return int(subprocess.run(between, stdout=subprocess.PIPE, check=True).stdout)


def hello() -> None:
    if mode == "dies_at_once":
        sys.exit(3)
    if mode == "never_ready":
        time.sleep(60)
    if mode == "protocol_two":
        say('{"type":"ready","protocol":2,"name":"two"}')
        return
    if mode == "banner":
        say("Welcome to my bot!")
    if mode == "stderr_then_dies":
        sys.stderr.write("first line\n" + "x" * 100_000 + "\nlast line\n")
        sys.exit(3)
    if mode == "floods_stderr_off_turn":
        threading.Thread(target=flood_stderr, daemon=True).start()
    if mode == "has_a_helper":
        helpers.append(start_helper())
    say('{"type":"ready","protocol":1,"name":"rogue"}')
    if mode == "never_reads":
        time.sleep(60)


def misbehave(message: dict[str, object]) -> None:
    """The third act of the deal is where most of them go wrong."""
    match mode:
        case "illegal":
            say(json.dumps({"id": message["id"], "action": "XX"}))
        case "not_json":
            say("I play the seven of cups")
        case "empty_line":
            say("")
        case "wrong_id":
            say(json.dumps({"id": "0" * 16, "action": message["legal"][0]}))  # type: ignore[index]  # JSON
        case "no_answer":
            time.sleep(60)
        case "spins":
            spin()
        case "has_a_thread_work":
            threading.Thread(target=spin, daemon=True).start()
            time.sleep(60)
        case "polls_beside":  # as the programs of Go do
            threading.Thread(target=select.epoll().poll, daemon=True).start()
            time.sleep(60)
        case "no_newline":
            sys.stdout.write(json.dumps({"id": message["id"], "action": "XX"}))
            sys.stdout.flush()
            time.sleep(60)
        case "drips":
            for letter in json.dumps({"id": message["id"], "action": "7D"}) * 10:
                sys.stdout.write(letter)
                sys.stdout.flush()
                time.sleep(0.05)
        case "not_flushed":
            buffered.write(json.dumps({"id": message["id"], "action": "XX"}) + "\n")
        case "long_line":
            say("x" * 20_000)
        case "flood":
            while True:
                sys.stdout.write("x" * 65536)
        case "flood_of_newlines":
            while True:
                sys.stdout.write("\n" * 65536)
        case "stderr_flood":
            while True:
                sys.stderr.write("x" * 65536)
        case "exits":
            sys.exit(0)
        case "segfaults":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "thinks":
            time.sleep(0.2)
            answer(message)
        case "real_time_signal":
            os.kill(os.getpid(), signal.SIGRTMIN + 1)
        case "vertical_tab":
            sys.stdout.write("\x0b")
            answer(message)
        case "markup":
            say("[/red] \x1b]0;title\x07 [bold]")
        case "stderr_then_illegal":
            sys.stderr.write("why I play this\n")
            sys.stderr.flush()
            say(json.dumps({"id": message["id"], "action": "XX"}))
        case "stops_itself":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "closes_stdout":
            os.close(1)
            time.sleep(60)
        case "closes_stdin":
            os.close(0)
            time.sleep(60)
        case "leaves_a_daemon":
            daemon = "import os,time; os.setsid(); time.sleep(60)"
            subprocess.Popen([sys.executable, "-c", daemon, sys.argv[-1]])
            time.sleep(0.1)
            os._exit(1)
        case "answers_twice":
            answer(message)
            answer(message)
        case "has_a_helper":
            os.kill(helpers[0], 0)  # raises when somebody has killed it
            answer(message)
        case _:
            answer(message)


while True:
    line = sys.stdin.readline()
    if not line:
        break
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        hello()
    elif kind == "deal":
        acts = 0
        if mode == "answers_deal":
            say('{"ok":true}')
    elif kind == "act":
        acts += 1
        if acts == 3:
            misbehave(message)
        else:
            answer(message)
    elif kind == "end":
        if mode.startswith("speaks_at_the_end"):
            say("good game")
        if mode.endswith("and_stays"):
            signal.pause()
        if mode == "stays":
            signal.pause()
        break
