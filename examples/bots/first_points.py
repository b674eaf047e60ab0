#!/usr/bin/env python3
"""Develops, discovers, scans, or moves at random: a bot that imports nothing but the standard library.

spacemission check-bot "command:python examples/bots/first_points.py"
spacemission arena --agents "command:python examples/bots/first_points.py,random" --games 100
"""

import json
import random
import sys

LIKED = ("develop", "discover", "scan")  # first words of moves, best first


def choose(act):
    """The text of a legal move; all random numbers are drawn from the decision's key."""
    moves = [one["move"] for one in act["moves"]]
    for word in LIKED:
        liked = [move for move in moves if move.startswith(word)]
        if liked:
            return random.Random(act["key"]).choice(liked)
    return random.Random(act["key"]).choice(moves)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "protocol": 1, "name": "first points", "version": "1", "wants": ["moves"]}
    elif message["type"] == "act":
        answer = {"type": "move", "id": message["id"], "move": choose(message)}
    else:  # "end", or a message of a later protocol
        continue
    print(json.dumps(answer), flush=True)
