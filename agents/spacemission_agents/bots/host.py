"""Runs an agent as a bot by lines: `python -m spacemission_agents.bots.host module:Class`."""

import json
import os
import sys
from base64 import b64decode
from typing import Any

import numpy as np

from spacemission_agents.bots.protocol import VERSION, line
from spacemission_agents.models.card import weights_digest
from spacemission_env.core.agents import Agent, Decisions, GameInfo, integers, make_agent, prepare_agents
from spacemission_env.core.decisions import whole_numbers_of
from spacemission_env.core.errors import AgentError, failure, first_line, printable
from spacemission_env.core.game_spec import find_game


def main(name: str) -> None:
    """Answer the lines of standard input; what the agent prints goes to standard error."""
    lines, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        hello = json.loads(lines.readline())
        game = find_game(hello["game"])  # deal no game here, because that would load compiled rules
        box = game.load_components(game.recorded_components(hello["example"]))
        info = GameInfo.of(hello["players"], game.make_rules(hello["rules"]), box, game)
        agent = make_agent(name, info.game)
        prepare_agents([agent], info)
    except BaseException as error:  # also SystemExit
        out.write(line({"type": "refuse", "reason": first_line(error)}))
        return
    reads = bool(agent.needs & {"observations", "whole_numbers"})
    wants = ["batch", *["observation"] * reads, *["worlds"] * ("worlds" in agent.needs)]
    told = {"name": name, "version": weights_digest(agent) or "", "wants": wants}
    out.write(line({"type": "ready", "protocol": VERSION, **told}))
    for asked in map(json.loads, lines):
        if asked["type"] == "act":
            actions, why = answer(agent, asked["rows"], info)
            print("\n".join([*why, ""]), end="", file=sys.stderr, flush=True)
            out.write(line({"type": "move", "id": asked["id"], "actions": actions}))


def answer(agent: Agent, rows: list[Any], info: GameInfo) -> tuple[list[int | None], list[str]]:
    """An action or None for each row, and a reason for each None. After an error, ask for rows one by one."""
    game, arrays = find_game(info.game), {}
    for name, kind in (("observation", np.dtype("<f4")), ("worlds", game.state)):
        data = b"".join(b64decode(row.get(name, "")) for row in rows)
        arrays[name] = np.frombuffer(data, kind).copy().reshape(len(rows), -1)
    masks, keys = np.zeros((len(rows), game.action_count), np.int8), [int(row["key"]) for row in rows]
    for mask, row in zip(masks, rows, strict=True):
        mask[row["legal"]] = 1
    seen, worlds = arrays["observation"], arrays["worlds"].ravel() if "worlds" in agent.needs else None
    if "whole_numbers" in agent.needs:
        seen = whole_numbers_of(game, info.parameters, seen)
    try:
        asked = Decisions(seen, masks, np.array(keys), worlds, info.parameters, info.game)
        return [int(action) for action in integers(agent.act(asked), len(rows))], []
    except BaseException as error:  # also SystemExit and KeyboardInterrupt, raised by the agent
        if len(rows) > 1:
            each = [answer(agent, [row], info) for row in rows]
            return [action for actions, _ in each for action in actions], [w for _, why in each for w in why]
        said = first_line(error) if isinstance(error, AgentError) else f"failed with {failure(error)}"
        return [None], [printable(said)[:300]]


if __name__ == "__main__":
    main(sys.argv[1])
