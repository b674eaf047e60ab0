"""Fails as its argument names, from its third decision on: a bot that imports nothing of ours.

`python broken_bots.py WAY`; without a way it plays a legal move drawn from the key. `FAULTS` has what
`check-bot` says of each.
"""

import json
import os
import sys
import time

MIB = 1 << 20
FAULTS = {  # way: part of what check-bot says
    "ends at its start": "its process ended (exit status 3); its log ends: no licence – the bot must run",
    "greets in prose": "wrote no JSON but 'Hello, I am a bot' – write only messages to standard output",
    "another protocol": 'protocol: expected 1, not 2 – say "protocol": 1',
    "wants too much": "wants: expected some of moves, words",
    "refuses": "not with two players",
    "says move first": "expected a message of type ready or refuse, not {'type': 'move'",
    "crashes": "its process ended (exit status 1); its log ends: ZeroDivisionError: division by zero",
    "is killed": "its process ended (exit status 137)",
    "hangs": "no answer within 0.5 s – answer each `act` with one line",
    "does not end its line": "no answer within 0.5 s – answer each `act` with one line",
    "answers in prose": "wrote no JSON but 'I fly' – write only messages to standard output",
    "prints beside": "answered twice: 'thinking done' – write one line for each `act`",
    "answers twice": 'answered twice: \'{"type": "move"',
    "answers another id": "answered id 1, not 3 – copy `id`",
    "answers NaN": "wrote number NaN, which JSON does not have – send whole",
    "answers 2 MiB": "wrote a line of more than 1 MiB – a line may have at most 1 MiB",
    "floods": "wrote a line of more than 1 MiB",
    "is not UTF-8": "wrote a line that is not UTF-8 – write UTF-8",
    "answers a fraction": "action: expected a whole number, not 1.5 – an action is a whole number of `legal`",
    "answers an illegal action": " – choose one of `legal`",
    "answers no such action": " – choose one of `legal`",
    "answers an unknown move": "– choose one of `legal`",
    "answers null": "answered null",
    "answers nothing": "expected either an action or a move – answer with",
    "answers a list": "expected a message of type move, not [1] – the first line is of type",
    "answers too few rows": "actions: expected a list of 1, not [] – with `batch`",
    "plays at random": "it chose other moves when it played the same game again",
}
HARMLESS = ("fills its log", "answers in parts", "adds fields")  # ways that are no faults


def say(message):
    print(json.dumps(message), flush=True)


def ready(way):
    if way == "ends at its start":
        print("no licence", file=sys.stderr)
        sys.exit(3)
    if way == "greets in prose":
        print("Hello, I am a bot", flush=True)
    elif way == "refuses":
        say({"type": "refuse", "reason": "not with two players"})
    elif way == "says move first":
        say({"type": "move", "id": 0, "action": 0})
    else:
        wants = {"wants too much": ["everything"], "answers too few rows": ["batch"]}.get(way, ["moves"])
        say({"type": "ready", "protocol": 1 + (way == "another protocol"), "name": "b", "wants": wants})


def answer(way, act):
    legal = act["legal"] if "legal" in act else act["rows"][0]["legal"]
    right = {"type": "move", "id": act["id"], "action": legal[int(act.get("key", 0)) % len(legal)]}
    text = json.dumps(right)
    instead = {
        "answers another id": {"id": 1},
        "answers a fraction": {"action": 1.5},
        "answers an illegal action": {"action": next(a for a in range(10_000) if a not in legal)},
        "answers no such action": {"action": 10**30},
        "answers null": {"action": None},
    }
    if way == "crashes":
        raise ZeroDivisionError("division by zero")
    elif way == "is killed":
        os.kill(os.getpid(), 9)
    elif way == "hangs":
        time.sleep(1000)
    elif way == "does not end its line":
        sys.stdout.write(text)
        sys.stdout.flush()
    elif way == "answers in prose":
        print("I fly", flush=True)
    elif way == "prints beside":
        print(text + "\nthinking done", flush=True)
    elif way == "answers twice":
        print(text + "\n" + text, flush=True)
    elif way == "answers NaN":
        print(text.replace(f'"action": {right["action"]}', '"action": NaN'), flush=True)
    elif way == "answers 2 MiB":
        say({**right, "why": "x" * 2 * MIB})
    elif way == "floods":
        while True:
            sys.stdout.write("x" * MIB)
    elif way == "is not UTF-8":
        sys.stdout.buffer.write(b"\xff\xfe\n")
        sys.stdout.flush()
    elif way == "answers an unknown move":
        say({"type": "move", "id": act["id"], "move": "win"})
    elif way == "answers nothing":
        say({"type": "move", "id": act["id"]})
    elif way == "answers a list":
        say([1])
    elif way == "answers too few rows":
        say({"type": "move", "id": act["id"], "actions": []})
    elif way == "plays at random":
        say({**right, "action": legal[os.urandom(1)[0] % len(legal)]})
    elif way == "fills its log":
        print("x" * 5 * MIB, file=sys.stderr, flush=True)
        say(right)
    elif way == "answers in parts":
        for letter in text + "\n":
            sys.stdout.write(letter)
            sys.stdout.flush()
    elif way == "adds fields":
        say({**right, "comment": "naïve", "nested": {"a": [1]}})
    else:
        say({**right, **instead.get(way, {})})


def main(way):
    asked = 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            ready(way)
        elif message["type"] == "act":
            asked += 1
            late = asked >= 3 or way in ("answers too few rows",)
            answer(way if late else "", message)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
