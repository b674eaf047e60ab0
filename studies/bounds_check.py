"""Plays games of all bots and checks every array index: `python -m studies.bounds_check GAMES`.

Compiled code normally does not check indices. In this study numba checks for indices past the end
(NUMBA_BOUNDSCHECK), and negative indices are errors too. The games cover random boxes
(random_components.py), options, observation modes and numbers of players. At times all seats get
observations, keys and sampled worlds. The compiled code has a separate cache.

`python -m studies.bounds_check GAMES DECISIONS` plays some random moves and then only DECISIONS decisions
of the bots in each game. With NUMBA_DISABLE_JIT=1 nothing is compiled: numpy checks for indices past the end.
"""

from __future__ import annotations

import os
import random
import sys
import traceback
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

CACHE = "spacemission_env_bounds_1"  # another number: what `check_indices` changes is another
BOXES = 21  # the default one and 20 random ones
SIDE_BY_SIDE = 40  # games of a batch
AHEAD = 80  # random decisions before the few of a short look, at most
# Bots by the cost of a decision; most bots of a batch are fast.
FAST = ("random", "greedy", "policy:default", "policy:default?sample")
MEDIUM = ("heuristic",)
SLOW = ("ismcts:4", "ismcts:3x2")
SLOW_BATCH, SLOW_GAMES = 8, 4  # one batch of eight has slow bots, and so many games


def check_indices() -> None:
    """Make code that is compiled later check its indices; call this before the package is imported."""
    os.environ["NUMBA_BOUNDSCHECK"] = "1"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    os.environ.setdefault("SPACEMISSION_CACHE_DIR", str(Path(home) / CACHE))
    from numba.core import types
    from numba.np import arrayobj

    def as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    arrayobj.fix_integer_index = as_it_is


def checks_work() -> bool:
    """Whether an index past the end and a negative one are noticed; else no error would mean nothing."""
    import numba

    @numba.njit
    def entry(numbers: np.ndarray, i: int) -> int:
        return numbers[i]

    for i in (3, -1):
        with suppress(IndexError):
            entry(np.arange(3), i)
            return False
    return bool(entry(np.arange(3), 2) == 2)


def some_rules(rng: random.Random, players: int) -> dict[str, Any]:
    """Options drawn at random; half of the time the options of the printed rules."""
    options: dict[str, Any] = {
        "reserved_tiles_visible": True,
        "space_tile_penalty": True,
        "chips_per_player": rng.choice((1, 2, 5, 40, 100)),
        "hand_size": rng.randint(1, 5),
        "actions_per_turn": rng.randint(1, 4),
        "gate_points_without_probe": rng.random() < 0.5,
        "space_tiles_to_end": rng.randint(1, 16),
        "start_player": rng.randrange(players),
        "empty_top_up": False,
        "scan_face_up": True,
    }
    chosen = {name: value for name, value in options.items() if rng.random() < 0.5}
    return {**chosen, "max_rounds": rng.choice((1, 20, 30, 40))}


class Check:
    """Plays batches of games and counts what went wrong."""

    def __init__(self) -> None:
        from spacemission_env.core.agents import make_agent

        self.agents = {name: make_agent(name) for name in (*FAST, *MEDIUM, *SLOW)}
        self.games = self.decisions = 0
        self.by: Counter[str] = Counter()
        self.errors: list[str] = []

    def batch(self, seed: int, most_decisions: int | None = None) -> None:
        """Games of one box, set of options and number of players; the line-ups are drawn for each game."""
        from spacemission_env.core.batched import BatchedGames
        from tests.support.random_components import random_box

        rng = random.Random(seed)
        slow = seed % SLOW_BATCH == 0
        count = SLOW_GAMES if slow or most_decisions else SIDE_BY_SIDE
        players = rng.randint(2, 5)
        number = rng.randrange(BOXES)
        box = None if number == 0 or rng.random() < 0.2 else random_box(number)
        rules = some_rules(rng, players)
        mode = rng.choice(("perfect_recall", "perfect_recall", "table"))
        table = BatchedGames(count, players, rules, box, mode)
        bots = list(self.agents) if slow else [*FAST, *FAST, *MEDIUM]
        seats = [[rng.choice(bots) for _ in range(players)] for _ in range(table.count)]
        for name in {name for row in seats for name in row}:
            with suppress(Exception):  # a policy refuses boxes that it was not trained for; it reads them
                self.agents[name].prepare(table.info)
        for i in range(table.count):
            table.deal(i, rng.randrange(2**62))
        try:
            self._play(table, seats, rng, most_decisions)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            self.errors.append(f"batch {seed}: {players} players, box {number}, {rules}, {mode}: {what}")
        self.games += table.count

    def _play(self, table: Any, seats: list[list[str]], rng: random.Random, most: int | None) -> None:
        index = table.everyone if most is None else self._ahead(table, rng.randrange(AHEAD))
        made = 0
        while len(index) and (most is None or made < most):
            asked = table.ask(index)
            actions = np.zeros(len(index), np.int64)
            to_act = np.array([seats[i][table.players[i]] for i in index])
            for name in np.unique(to_act).tolist():
                rows = np.flatnonzero(to_act == name)
                actions[rows] = self.agents[name].act(asked.part(self.agents[name], rows))
                self.by[name] += len(rows)
            if most is None and rng.random() < 0.02:
                self._look(table, int(rng.choice(index)), rng)
            table.step(index, actions)
            self.decisions += len(index)
            made += 1
            index = index[~table.over[index]]
        for i in range(4 if most is None else 1):
            self._look(table, i, rng)
        paid = np.zeros((table.count, table.num_players))
        batch, parameters = table.spec.batch, table.template.parameters
        batch.rewards_batch(table.states, parameters, table.everyone, 0, paid)
        table.deal_next(table.everyone)

    def _ahead(self, table: Any, decisions: int) -> np.ndarray:
        """Random moves, so that a short look is not always at the start; the games that are not over."""
        from spacemission_env.core.masks import choose_uniform
        from spacemission_env.games.space_mission.engine.batch import BATCH

        index = table.everyone
        for _ in range(decisions):
            masks, actions = np.zeros((len(index), 101), np.int8), np.zeros(len(index), np.int64)
            BATCH.mask_batch(table.states, table.template.parameters, index, masks)
            choose_uniform(masks, table.keys(index), actions)
            table.step(index, actions)
            index = index[~table.over[index]]
        return index

    def _look(self, table: Any, i: int, rng: random.Random) -> None:
        """Call every query of a game for all seats."""
        game = table.game(i)
        game.rewards(1)
        game.decision_key()
        table.margins(np.full(1, i), np.array([game.num_players - 1]))
        game.open_board()
        if not game.over:  # a game made from a state goes on as well
            game.from_world(game.states[0]).step(game.legal_actions()[0])
        for seat in range(game.num_players):
            game.board(seat)
            game.information_state_key(seat)
            world = game.determinize(seat, rng.randrange(2**62))
            world.determinize((seat + 1) % game.num_players, 1)
            while not world.over and rng.random() < 0.9:
                world.step(rng.choice(world.legal_actions()))


def main() -> int:
    """Play; the exit status is 1 where an index was wrong."""
    games = int(sys.argv[1])
    most = int(sys.argv[2]) if len(sys.argv) > 2 else None  # decisions of each game, for a short look
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        check_indices()
        if not checks_work():
            print("the checks of indices do not work with this numba")
            return 1
    check = Check()
    seed = 0
    while check.games < games:
        check.batch(seed, most)
        seed += 1
        if seed % 20 == 0:
            print(f"{check.games:,} games, {len(check.errors)} batches with an error", flush=True)
    by = ", ".join(f"{name} {count:,}" for name, count in sorted(check.by.items()))
    print(f"{check.games:,} games in {seed:,} batches, {check.decisions:,} decisions ({by})")
    print("\n".join(check.errors[:20]))
    print(f"{len(check.errors)} batches with an index out of bounds or another error")
    return 1 if check.errors else 0


if __name__ == "__main__":
    sys.exit(main())
