"""A bot that plays like `heuristic`, and the same bot trying to learn what it may not know.

`python -m tests.agents.cheating_bots GAMES` plays each against `heuristic` and compares the games. `Cheat`
plays an illegal move, and so forfeits, as soon as it has found something out; where it finds nothing, it
plays the same games as `Plain`.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import os
import sys
from pathlib import Path
from typing import Any

from spacemission_agents.arena.lineups import set_up_seed
from spacemission_env.core.agents_api import Agent, Decisions, GameInfo, make_agent
from spacemission_env.games.space_mission.engine.decision_key import decision_key
from spacemission_env.games.space_mission.game import Game

SEED = 0x5EED_5EED_5EED  # which nobody would try
TRIED_SEEDS = 300
EVERY = 50  # calls between two searches of its process
KNOWN = 10_000  # the move of a bot that has found something out
SECRETS = ("BatchedGames", "Tournament", "Players", "Setting", "Schedule", "_Batch")


class Plain(Agent):
    """`heuristic` in a process of its own."""

    def __init__(self, parameter: str | None = None) -> None:
        self.heuristic = make_agent("heuristic")

    def prepare(self, info: GameInfo) -> None:
        self.heuristic.prepare(info)

    def act(self, decisions: Decisions) -> Any:
        return self.heuristic.act(decisions)


class Cheat(Plain):
    """Looks into keys, boxes, closures, frames, memory and files of others before each move."""

    wants_worlds = True

    def __init__(self, parameter: str | None = None) -> None:
        super().__init__()
        self.deals: dict[int, int] = {}
        self.calls = 0

    def prepare(self, info: GameInfo) -> None:
        super().prepare(info)
        game = Game(info.num_players, info.rules, info.components)
        for seed in range(TRIED_SEEDS):
            game.reset(seed=seed)
            self.deals[int(decision_key(game.states[0]))] = seed
        with contextlib.suppress(ValueError):
            info.boxes.setflags(write=True)
            info.boxes["hand_size"] = 120  # a bot's own copy: nobody else's game may change

    def act(self, decisions: Decisions) -> Any:
        asked = Decisions(decisions.observations, decisions.masks, decisions.keys)
        actions = super().act(asked)
        self.calls += 1
        if self.finds(decisions) or (self.calls % EVERY == 1 and self.finds_in_process()):
            actions[:] = KNOWN
        return actions

    def finds(self, decisions: Decisions) -> bool:
        """Something in what it is handed: a key that tells the deal, the source of worlds, random numbers."""
        worlds = decisions.worlds
        return (
            any(int(key) in self.deals for key in decisions.keys)
            or decisions.draw is not None
            or worlds is None
            or bool((worlds["seed"] == set_up_seed(SEED, 0)).any())
        )

    @staticmethod
    def finds_in_process() -> bool:
        """Something of the tournament in its own process, or that its parent holds games."""
        frames = [frame.frame.f_globals.get("__name__", "") for frame in inspect.stack()]
        parent = b""
        with contextlib.suppress(OSError):
            parent = Path(f"/proc/{os.getppid()}/cmdline").read_bytes()
        return (
            any(type(thing).__name__ in SECRETS for thing in gc.get_objects())
            or any(name.endswith("tournament.play") for name in frames)
            or b"multiprocessing" in parent
        )


def main(games: int) -> int:
    """Play and compare; the exit status."""
    from spacemission_agents.arena.definition import define
    from spacemission_agents.arena.hold import hold_tournament

    reports = []
    for bot in ("Plain", "Cheat"):
        tournament = define([f"tests.agents.cheating_bots:{bot}", "heuristic"], 2, games, seed=SEED)
        report = hold_tournament(tournament)
        pair = next(p for p in report["pairs"] if p["other"] == "heuristic")
        share = f"{100 * pair['share']:.2f} % ({100 * pair['low']:.2f} to {100 * pair['high']:.2f})"
        print(f"{bot:6} {report['games']} games, {report['forfeited']} forfeited: {share}", flush=True)
        reports.append((pair["share"], report["forfeited"]))
    same = reports[0] == reports[1] and reports[0][1] == 0
    print("no gain: the same games" if same else "the games differ")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
