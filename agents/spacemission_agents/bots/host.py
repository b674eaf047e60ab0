"""Runs an agent as a bot by lines: `python -m spacemission_agents.bots.host module:Class`."""

import json
import os
import sys
from base64 import b64decode
from typing import Any

import numpy as np

from spacemission_agents.bots.protocol import VERSION, line, record_digest
from spacemission_agents.models.card import weights_digest
from spacemission_env.core.agents import Agent, Decisions, GameInfo, integers, make_agent, prepare_agents
from spacemission_env.core.decisions import reads_whole_numbers, whole_numbers_of
from spacemission_env.core.errors import AgentError, failure, first_line, printable
from spacemission_env.core.game_spec import find_game
from spacemission_env.records.reader import game_of_header


def main(name: str) -> None:
    """Answer the lines of standard input; what the agent prints goes to standard error."""
    lines, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        info = game_of_header(json.loads(lines.readline())["example"]).info
        agent = make_agent(name, info.game)
        prepare_agents([agent], info)
    except BaseException as error:  # also SystemExit
        out.write(line({"type": "refuse", "reason": first_line(error)}))
        return
    ready = {"type": "ready", "protocol": VERSION, "name": name, "version": weights_digest(agent) or ""}
    out.write(line({**ready, "wants": ["batch", "observation", *["worlds"] * bool(agent.wants_worlds)]}))
    for asked in map(json.loads, lines):
        if asked["type"] == "act":
            actions = answer(agent, asked["rows"], info)
            out.write(line({"type": "move", "id": asked["id"], "actions": actions}))


def answer(agent: Agent, rows: list[Any], info: GameInfo) -> list[int | None]:
    """The actions; after an error each row by itself. A line of the log says why a row has none."""
    game, worlds = find_game(info.game), None
    seen = np.frombuffer(b"".join(b64decode(row["observation"]) for row in rows), "<f4").copy()
    seen, masks = seen.reshape(len(rows), -1), np.zeros((len(rows), game.action_count), np.int8)
    for mask, row in zip(masks, rows, strict=True):
        mask[row["legal"]] = 1
    try:
        if agent.wants_worlds:
            if rows[0]["dtype"] != record_digest(game):
                raise AgentError("the worlds are of another version of the game")
            worlds = np.frombuffer(b"".join(b64decode(row["worlds"]) for row in rows), game.state).copy()
        seen = whole_numbers_of(game, info.parameters, seen) if reads_whole_numbers(agent) else seen
        keys = np.array([int(row["key"]) for row in rows])
        given = agent.act(Decisions(seen, masks, keys, worlds, info.parameters, info.game))
        return [int(action) for action in integers(given, len(rows))]
    except BaseException as error:  # also SystemExit and KeyboardInterrupt, raised by the agent
        if len(rows) > 1:
            return [action for row in rows for action in answer(agent, [row], info)]
        why = first_line(error) if isinstance(error, AgentError) else f"failed with {failure(error)}"
        print(printable(why)[:300], file=sys.stderr, flush=True)
        return [None]


if __name__ == "__main__":
    main(sys.argv[1])
