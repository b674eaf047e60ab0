"""Measures what searches gain where they overrule the value of `policy:default`.

`python -m studies.override_audit play --games 100 --seed 1 --out FILE` plays two-player games of
`policy:default` against itself. At one decision in three it asks the searches `SEARCHES`. Where one chooses
another move than the value, it plays each move to the end of the game by `policy:default` in the same `PAIRS`
worlds with the same random numbers. The worlds are determinizations of the mover, half of them likely worlds
and half even ones; the true hidden pieces are never used. `python -m studies.override_audit ledger FILE…`
prints what the overruling moves gain.

`studies.override_audit:Overruler:N,TURNS,HEAT,NEAR,K` is the search as an agent that overrules the value only
where the difference exceeds K standard errors.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from spacemission_agents.afterstates.network import share_of
from spacemission_agents.games.space_mission import compiled
from spacemission_agents.games.space_mission.value.afterstates import (
    evaluate_moves,
    new_network,
    new_scratch,
    win_shares,
)
from spacemission_agents.games.space_mission.value.rollouts import (
    CONSIDERED,
    PRIOR,
    STREAM,
    leave_out_some,
)
from spacemission_agents.games.space_mission.value.worlds import DEALT, likely_world, weigh_worlds
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import NO_ORDER, RUNNING
from spacemission_env.core.rng import hash63, next32
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.determinize import determinize
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.game import Game

njit = make_njit(compiled.njit, Path(__file__))
MODEL = "default"
PAIRS = 128  # worlds in which both moves are played to the end
EVERY = 3  # one decision of so many is searched
NEXT, END = 0, 1  # columns of results: the value at the seat's `TURNS`th next turn, the share of the win
TURNS = 5
LAMBDA = 0.8  # weight of later turns in a simulation of several
KINDS = "top up", "jump", "fly", "scan", "develop", "discover", "take a tile"
FIRST_ACTIONS = c.TOP_UP, c.JUMP, c.FLY_NEXT, c.SCAN, c.DEVELOP, c.DISCOVER, c.TAKE
WORLDS, JUDGE = 0xA0D1, 0xA0D2  # streams


class Search(NamedTuple):
    """The settings of a search."""

    name: str
    simulations: int
    turns: int  # own turns until the end of a simulation
    heat: float  # share of the win by which the others make a move e times as often; 0: they play the best
    near: float = 1.0  # moves of which the value says more than this less are left out


SEARCHES = (
    Search("rollouts", 150, 1, 0.0),
    Search("three turns", 50, 3, 0.0),
    Search("sampling", 150, 1, 0.02),
)
ROW = np.dtype(
    [
        ("game", np.int64),
        ("decision", np.int32),
        ("moves", np.int16, 1 + len(SEARCHES)),  # of the value, then of the searches
        ("first", np.float32, 1 + len(SEARCHES)),  # their values before the search
        ("gap", np.float32, len(SEARCHES)),  # of the search's move to the value's move in simulations
        ("error", np.float32, len(SEARCHES)),  # its standard error
        ("results", np.float32, (1 + len(SEARCHES), PAIRS, 2)),
    ]
)


@njit
def play_on(world, t, action, net, scratch, heat, leave_out, to_end, values):
    """Play a move and go on by the value; write the values at the seat's next turns, then the result.

    `values`: out, float64 (turns + 1,); without `to_end` the last turn ends the simulation.
    """
    s, mask = world[0], scratch.mask
    seat, last = int(s.player), len(values) - 1
    apply(s, t, action, NO_ORDER)
    before, turn = seat, 0
    while s.over == RUNNING:
        player = int(s.player)
        begins = player == seat and before != seat and turn < last
        before = player
        write_mask(s, t, player, mask)
        if leave_out and not (begins and turn == last - 1):
            leave_out_some(s, mask)
        count = evaluate_moves(s, t, mask, net, scratch)
        if begins:
            values[turn] = share_of(scratch.logits[:count].max())
            turn += 1
            if turn == last and not to_end:
                return
        if heat > 0 and player != seat:
            for i in range(count):
                noise = -np.log(-np.log((next32(s) + 0.5) * 2.0**-32))
                scratch.logits[i] = share_of(scratch.logits[i]) / heat + noise
        apply(s, t, scratch.actions[np.argmax(scratch.logits[:count])], NO_ORDER)
    win_shares(s, t, scratch.scores, scratch.shares)
    values[turn:] = scratch.shares[seat]


@njit
def search(origin, t, mask, key, simulations, turns, heat, near, net, scratch, world, found):
    """Search as `rollouts.think`, but keep the value's move to the end; return the move.

    `found`: out, float64 (4,): values of the value's move and of this move before the search, mean difference
    in simulations, its standard error.
    """
    count = evaluate_moves(origin, t, mask, net, scratch)
    order = np.argsort(-scratch.logits[:count], kind="mergesort")
    left = min(CONSIDERED, count)
    moves, first = scratch.actions[order[:left]], np.zeros(left)
    for i in range(left):
        first[i] = share_of(scratch.logits[order[i]])
    while first[left - 1] < first[0] - near:
        left -= 1
    first = first[:left]
    sums, squares, worths, tried = np.zeros(left), np.zeros(left), np.zeros(left), np.zeros(left)
    rounds = 0
    while 1 << rounds < left:
        rounds += 1
    values, places = np.zeros(turns + 1), np.arange(left)
    dealt = np.empty(min(DEALT, simulations), np.int64)
    cumulative = np.empty(len(dealt))
    if left > 1:
        weigh_worlds(origin, t, key, net, scratch, world, dealt, cumulative)
    worlds = 0
    while left > 1:
        for _ in range(max(1, simulations // (rounds * left))):
            likely_world(origin, t, hash63(key, worlds, STREAM), dealt, cumulative, world)
            worlds += 1
            of_best = 0.0
            for i in np.sort(places[:left]):  # the value's move, 0, is the first
                world[1] = world[0]
                play_on(world[1:], t, moves[i], net, scratch, heat, True, False, values)
                told, part = 0.0, 1.0
                for turn in range(turns - 1):
                    told += part * (1 - LAMBDA) * values[turn]
                    part *= LAMBDA
                told += part * values[turns - 1]
                if i == 0:
                    of_best = told
                worths[i] += told
                sums[i] += told - of_best
                squares[i] += (told - of_best) ** 2
                tried[i] += 1
        worth = (worths + PRIOR * first) / (tried + PRIOR)
        places[:left] = places[:left][np.argsort(-worth[places[:left]], kind="mergesort")]
        left = (left + 1) // 2
        if left > 1 and 0 not in places[:left]:
            places[left - 1] = 0
    best = places[0]
    found[0], found[1] = first[0], first[best]
    if best != 0:
        n = tried[best]
        found[2] = sums[best] / n
        found[3] = np.sqrt(max(0.0, squares[best] / n - found[2] ** 2) / max(1.0, n - 1))
    return moves[best]


@njit
def play_pairs(origin, t, moves, key, net, scratch, world, results):
    """Play the moves to the end in the same worlds; `results`: out, float32 (moves, PAIRS, 2)."""
    dealt, cumulative, values = np.zeros(DEALT, np.int64), np.zeros(DEALT), np.zeros(TURNS + 1)
    weigh_worlds(origin, t, key, net, scratch, world, dealt, cumulative)
    for w in range(results.shape[1]):
        if w // 2 % 2:
            determinize(origin, t, int(origin.player), 1, hash63(key, w, JUDGE), world)
        else:
            likely_world(origin, t, hash63(key, w, JUDGE), dealt, cumulative, world)
        for i in range(len(moves)):
            world[1] = world[0]
            play_on(world[1:], t, moves[i], net, scratch, 0.0, False, True, values)
            results[i, w, NEXT], results[i, w, END] = values[TURNS - 1], values[TURNS]


def play(games: int, seed: int) -> Iterator[tuple[list[np.void], int, int]]:
    """Of each game: the positions where a search chooses another move, decisions searched, all decisions."""
    net, scratch, world = new_network(PolicyAgent(MODEL).arrays), new_scratch(), np.zeros(2, STATE)
    for number in range(games):
        game = Game(2)
        game.reset(seed * 1_000_000 + number)
        rows, asked, decisions = list[np.void](), 0, 0
        while not game.over:
            s, mask = game.states[0], game.mask()
            count = evaluate_moves(s, game.t, mask, net, scratch)
            best = int(scratch.actions[np.argmax(scratch.logits[:count])])
            key = int(hash63(int(s["seed"]), decisions, WORLDS))
            decisions += 1
            if key % EVERY == 0:
                asked += 1
                row = np.zeros(1, ROW)[0]
                row["game"], row["decision"], row["moves"][0] = seed * 1_000_000 + number, decisions, best
                for j, of in enumerate(SEARCHES):
                    found = np.zeros(4)
                    settings = *of[1:], net, scratch, world, found
                    row["moves"][j + 1] = search(s, game.t, mask, int(hash63(key, j, WORLDS)), *settings)
                    row["first"][0], row["first"][j + 1], row["gap"][j], row["error"][j] = found
                moves, place = np.unique(row["moves"], return_inverse=True)
                if len(moves) > 1:
                    results = np.zeros((len(moves), PAIRS, 2), np.float32)
                    play_pairs(s, game.t, moves.astype(np.int64), key, net, scratch, world, results)
                    row["results"] = results[place]
                    rows.append(row)
            game.step(best)
        yield rows, asked, decisions


# ---------------------------------------------------------------- ledger


def mean_of(values: np.ndarray, games: np.ndarray) -> str:
    """A mean in points of the win with its 95 % interval; positions of one game are not independent."""
    if len(values) < 2:
        return "–"
    cluster = np.unique(games, return_inverse=True)[1]
    excess = np.bincount(cluster, values - values.mean())
    return f"{100 * values.mean():+.2f} (± {196 * (excess**2).sum() ** 0.5 / len(values):.2f})"


def hinge(mean: float, deviation: float) -> float:
    """The mean of max(0, x) of a normal x."""
    normal, z = NormalDist(), mean / max(deviation, 1e-9)
    return mean * normal.cdf(z) + deviation * normal.pdf(z)


def ledger(of: Search, j: int, rows: np.ndarray, asked: int, decisions: float) -> None:
    """Print the tables of one search; `decisions`: of a seat in a game."""
    rows = rows[rows["moves"][:, j + 1] != rows["moves"][:, 0]]
    results = rows["results"].astype(float)
    gains = (results[:, j + 1] - results[:, 0])[:, :, END]
    gain, games = gains.mean(1), rows["game"]
    after_turns = (results[:, j + 1] - results[:, 0])[:, :, NEXT].mean(1)
    per_game = decisions / asked
    print(f"\n## {of.name}: {of.simulations} simulations, {of.turns} turns, heat {of.heat}\n")
    print(f"{asked} decisions, {len(rows)} overruled ({len(rows) / asked:.1%}), {decisions:.1f} a game")
    print(f"standard error in a position: {np.mean(gains.std(1)) / PAIRS**0.5:.3f}")
    one, other = gains[:, ::2].mean(1), gains[:, 1::2].mean(1)
    spread = max(0.0, float(np.cov(one, other)[0, 1])) ** 0.5
    chosen = np.concatenate([np.where(one > 0, other, 0), np.where(other > 0, one, 0)])
    print(f"mean gain {mean_of(gain, games)} points; true differences have a deviation of {100 * spread:.2f}")
    likely = np.arange(PAIRS) // 2 % 2 == 0
    in_likely, in_even = gains[:, likely].mean(1), gains[:, ~likely].mean(1)
    print(f"in likely worlds {mean_of(in_likely, games)}, in even worlds {mean_of(in_even, games)}")
    print(f"the same by the value {TURNS} turns later: {mean_of(after_turns, games)}")
    promised = rows["gap"][:, j].astype(float)
    print(f"the search promised {mean_of(promised, games)}, too much by {mean_of(promised - gain, games)}")
    print(f"points a game: {100 * gain.sum() * per_game:+.1f}")
    print(
        f"a perfect override, points a game: at least {mean_of(chosen, np.tile(games, 2))} x "
        f"{len(rows) * per_game:.2f} = {100 * chosen.mean() * len(rows) * per_game:+.1f}; if differences are "
        f"normal {100 * hinge(gain.mean(), spread) * len(rows) * per_game:+.1f}"
    )
    sure = rows["gap"][:, j] / np.maximum(rows["error"][:, j], 1e-6)
    behind = rows["first"][:, 0] - rows["first"][:, j + 1]
    kind_of = np.searchsorted(FIRST_ACTIONS, rows["moves"], side="right") - 1

    def table(title: str, groups: dict[str, np.ndarray]) -> None:
        head = "overruled | promised | mean gain | in likely worlds | in even worlds | points a game"
        print(f"\n| {title} | {head} |\n| --- | --- | --- | --- | --- | --- | --- |")
        for name, group in groups.items():
            means = [mean_of(v[group], games[group]) for v in (promised, gain, in_likely, in_even)]
            total = 100 * gain[group].sum() * per_game
            print(f"| {name} | {group.sum()} | {' | '.join(means)} | {total:+.1f} |")

    by_kind = {f"from {kind}": kind_of[:, 0] == k for k, kind in enumerate(KINDS)}
    by_kind |= {f"to {kind}": kind_of[:, j + 1] == k for k, kind in enumerate(KINDS)}
    table("kind of move", by_kind | {"kind stays": kind_of[:, 0] == kind_of[:, j + 1]})
    edges = 0, 0.005, 0.01, 0.02, 0.04, 1
    pairs = list(pairwise(edges))
    table("value's gap", {f"{a} to {b}": (behind >= a) & (behind < b) for a, b in pairs})
    edges = -99, 0, 1, 2, 3, 99
    pairs = list(pairwise(edges))
    table("search's gap in errors", {f"{a} to {b}": (sure >= a) & (sure < b) for a, b in pairs})
    table("only from k errors", {f"{k}": sure >= k for k in (0, 0.5, 1, 1.5, 2, 2.5, 3, 4)})
    soft = {f"{weight}": rows["gap"][:, j] > weight * behind for weight in (0, 0.25, 0.5, 1, 2, 4)}
    table("soft step: only if the search's gap exceeds so many of the value's", soft)


class Overruler(Agent):
    """The search with a threshold: `studies.override_audit:Overruler:N,TURNS,HEAT,NEAR,K`."""

    wants_worlds = True

    def __init__(self, parameter: str = "150,1,0,1,0") -> None:
        """Read the settings of the search, and the threshold."""
        simulations, turns, heat, near, self._k = map(float, parameter.split(","))
        self._settings = int(simulations), int(turns), heat, near
        self._net, self._scratch = new_network(PolicyAgent(MODEL).arrays), new_scratch()
        self._world = np.zeros(2, STATE)

    def act(self, decisions: Decisions) -> np.ndarray:
        """A move for each decision."""
        worlds, parameters = decisions.worlds, decisions.parameters
        assert worlds is not None
        assert parameters is not None
        net, scratch, chosen = self._net, self._scratch, np.zeros(len(decisions), np.int64)
        for n, (s, mask, key) in enumerate(zip(worlds, decisions.masks, decisions.keys, strict=True)):
            found, mask = np.zeros(4), np.ascontiguousarray(mask, np.int8)
            settings = *self._settings, net, scratch, self._world, found
            chosen[n] = search(s, parameters[0], mask, int(key), *settings)
            if found[2] < self._k * found[3]:
                count = evaluate_moves(s, parameters[0], mask, net, scratch)
                chosen[n] = scratch.actions[np.argmax(scratch.logits[:count])]
        return chosen


def main() -> None:
    """Play, or print the ledger."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("play", "ledger"))
    parser.add_argument("files", nargs="*")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    given = parser.parse_args()
    if given.what == "ledger":
        files = [np.load(file) for file in given.files]
        rows = np.concatenate([file["rows"] for file in files])
        totals = np.sum([file["totals"] for file in files], 0)
        for j, of in enumerate(SEARCHES):
            ledger(of, j, rows, int(totals[1]), totals[2] / totals[0] / 2)
        return
    kept, totals = list[np.void](), np.zeros(3)
    for found, asked, decisions in play(given.games, given.seed):
        kept += found
        totals += 1, asked, decisions
        np.savez(given.out, rows=np.array(kept, ROW), totals=totals)  # what there is, after every game
        print(f"{totals} {len(kept)} positions, {time.process_time():.0f} s", flush=True)


if __name__ == "__main__":
    main()
