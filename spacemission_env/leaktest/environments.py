"""Checks PettingZoo (AEC) and Gymnasium environments; a hook `twin` makes leaks visible."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from time import monotonic
from typing import Any

import numpy as np

from spacemission_env.core.errors import SetupError, first_line
from spacemission_env.leaktest.report import Report, rows

STEPS = 400  # most steps of a game
POSITIONS = 6  # positions of a game whose moves are tried one by one, and that are copied
MOVES = 12  # moves of each kind, masked and not, that are tried there
HASH_SEEDS = ("1", "2")  # of the other processes

Twin = Callable[[Any, Any, random.Random], Any]


class AecTable:
    """A PettingZoo AEC environment as this module drives it; `GymTable` has the same methods."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int) -> None:
        self.env.reset(seed=seed)

    def seats(self) -> list[Any]:
        return list(self.env.agents)

    def turn(self) -> Any:
        return self.env.agent_selection if self.env.agents else None

    def seen(self, seat: Any) -> dict[str, Any]:
        """All that a seat is given."""
        env = self.env
        return {
            "observation": env.observe(seat),
            "reward": env._cumulative_rewards[seat],
            "termination": env.terminations[seat],
            "truncation": env.truncations[seat],
            "info": env.infos[seat],
        }

    def rewards(self) -> dict[Any, float]:
        """What the last move earned, by seat."""
        return dict(self.env.rewards)

    def spaces(self, seat: Any) -> tuple[Any, Any]:
        return self.env.observation_space(seat), self.env.action_space(seat)

    def step(self, action: Any) -> None:
        self.env.step(action)

    def refused(self) -> bool:
        """Whether `TerminateIllegalWrapper` ended the game."""
        env = self.env
        while "env" in vars(env):
            if vars(env).get("_terminated"):
                return True
            env = env.env
        return False


class GymTable:
    """A Gymnasium environment as a table with the one seat "agent"."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int) -> None:
        observation, info = self.env.reset(seed=seed)
        self.last = observation, 0.0, False, False, info

    def seats(self) -> list[Any]:
        return ["agent"]

    def turn(self) -> Any:
        return None if self.last[2] or self.last[3] else "agent"

    def seen(self, seat: Any) -> dict[str, Any]:
        mask = self.env.unwrapped.action_masks() if hasattr(self.env.unwrapped, "action_masks") else None
        names = "observation", "reward", "termination", "truncation", "info"
        return {**dict(zip(names, self.last, strict=True)), **({} if mask is None else {"action_mask": mask})}

    def rewards(self) -> dict[Any, float]:
        return {}

    def spaces(self, seat: Any) -> tuple[Any, Any]:
        return self.env.observation_space, self.env.action_space

    def step(self, action: Any) -> None:
        self.last = self.env.step(action)

    def refused(self) -> bool:
        return False


Table = AecTable | GymTable
Make = Callable[[], Table]


def mask_of(seen: dict[str, Any]) -> np.ndarray | None:
    """The action mask, from the observation, the info or `action_masks()`."""
    for place in (seen["observation"], seen["info"], seen):
        if isinstance(place, dict) and place.get("action_mask") is not None:
            return np.asarray(place["action_mask"])
    return None


def clone(env: Any) -> Any:
    """Copy an environment in the middle of a game, also one that inherits `EzPickle`, which `deepcopy` restarts."""
    inner = env.unwrapped
    new = object.__new__(type(inner))
    memo = {id(inner): new}
    vars(new).update({name: copy.deepcopy(value, memo) for name, value in vars(inner).items()})
    return copy.deepcopy(env, memo)


class Run:
    """One game of a table: what each player in turn was given, and what it did."""

    def __init__(self, table: Table, seed: int, actions: list[Any] | None = None) -> None:
        """Reset the table, and play the actions, if any."""
        self.table, self.seed = table, seed
        self.random = random.Random(seed)
        self.trace: list[dict[str, Any]] = []
        self.kept: list[Any] = []  # the observations themselves; the trace has copies
        self.earned: dict[Any, float] = {}
        self.given: dict[Any, float] = {}
        table.reset(seed)
        for action in actions or []:
            self.step(action)

    def step(self, *forced: Any) -> bool:
        """Play one move, a legal one at random if none is given; return False if the game is over."""
        seat = self.table.turn()
        if seat is None:
            return False
        seen = self.table.seen(seat)
        action = forced[0] if forced else self.choose(seat, seen)
        self.kept.append(seen["observation"])
        self.trace.append(copy.deepcopy({"turn": seat, **seen, "action": action}))
        dead = seen["termination"] or seen["truncation"]
        self.given[seat] = self.given.get(seat, 0.0) + float(seen["reward"])
        self.table.step(action)
        for name, reward in {} if dead else self.table.rewards().items():  # type: ignore[attr-defined]
            self.earned[name] = self.earned.get(name, 0.0) + float(reward)
        return True

    def choose(self, seat: Any, seen: dict[str, Any]) -> Any:
        """A random action; None for a player who is out of the game."""
        if seen["termination"] or seen["truncation"]:
            return None
        space, mask = self.table.spaces(seat)[1], mask_of(seen)
        if mask is not None and mask.any():
            start = int(getattr(space, "start", 0))
            return start + self.random.choice(np.flatnonzero(mask).tolist())
        space.seed(self.random.randrange(2**31))
        return space.sample()

    def play(self, steps: int = STEPS) -> Run:
        """Play on to the end."""
        while len(self.trace) < steps and self.step():
            pass
        return self

    @property
    def actions(self) -> list[Any]:
        """The actions so far."""
        return [entry["action"] for entry in self.trace]

    @property
    def moves(self) -> list[str]:
        """The actions so far as text."""
        return [f"{entry['turn']} {entry['action']}" for entry in self.trace]


def digest(run: Run) -> str:
    """A fingerprint of all that was given and done."""
    return hashlib.sha256(repr([rows(entry) for entry in run.trace]).encode()).hexdigest()


class Checks:
    """The checks of one environment."""

    def __init__(self, make: Make, report: Report, twin: Twin | None, target: str | None, seed: int) -> None:
        self.make, self.report, self.twin, self.target = make, report, twin, target
        self.random = random.Random(seed)
        self.fork: Callable[[Any], Any] | None = None  # a way of copying that works
        self.ways: dict[str, Callable[[Any], Any]] = {
            "deepcopy": copy.deepcopy,
            "pickle": lambda env: pickle.loads(pickle.dumps(env)),
            "clone": clone,
        }

    def compare(self, check: str, what: str, left: Any, right: Any, run: Run, moves: Any = None) -> bool:
        """Compare two views at the end of a run."""
        return self.report.compare(
            check, what, (left, right), len(run.trace), lambda: (run.moves, moves or run.moves)
        )

    def game(self, seed: int, until: float) -> None:
        """Play one game and look at it in every way."""
        before = random.getstate(), repr(np.random.get_state())
        run = Run(self.make(), seed)
        self.report.count("games")
        picked = set(self.random.sample(range(1, STEPS), STEPS // 4)) if self.report.counts["games"] > 1 else {1, 2}
        examined = 0
        while len(run.trace) < STEPS and monotonic() < until:
            self.report.count("positions")
            for seat in run.table.seats():
                self.inside(run, seat)
                if self.twin is not None and run.table.turn() is not None:
                    self.twins(run, seat)
            if len(run.trace) in picked and examined < POSITIONS:
                examined += 1
                self.copies(run)
                self.masks(run)
            if not run.step():
                break
        over = run.table.turn() is None
        after = random.getstate(), repr(np.random.get_state())
        for name, old, new in zip(("random", "numpy.random"), before, after, strict=True):
            what = f"playing changes the global state of {name}"
            self.compare("global random state", what, "unchanged", "unchanged" if old == new else "changed", run)
        kept = [entry["observation"] for entry in run.trace]
        what = "an observation that was given earlier changes later"
        self.compare("kept observations", what, kept, run.kept, run)
        if over and run.earned:
            what = "the sum of rewards (left) is not the sum of last() rewards (right)"
            given = {seat: round(run.given.get(seat, 0.0), 6) for seat in run.earned}
            earned = {seat: round(total, 6) for seat, total in run.earned.items()}
            self.compare("reward credit", what, earned, given, run)
        self.seeds(run)

    def inside(self, run: Run, seat: Any) -> None:
        """Check observations against their space."""
        seen, (space, _) = run.table.seen(seat)["observation"], run.table.spaces(seat)
        inside = space.contains(seen)
        what = f"the observation of {seat} is not in its space"
        right = "in its space" if inside else f"{type(seen).__name__} {seen!r}, space {space}"
        self.compare("observation space", what, "in its space", right, run)

    def twins(self, run: Run, seat: Any) -> None:
        """Compare all that a seat is given with what it is given in a game that it cannot tell apart."""
        assert self.twin is not None
        other_env = self.twin(run.table.env, seat, self.random)
        if other_env is None:
            return
        other = type(run.table)(other_env)
        if isinstance(run.table, GymTable):
            other.last = run.table.last  # type: ignore[union-attr]
        self.report.count("twins")
        views = [{"turn": table.turn(), **table.seen(seat)} for table in (run.table, other)]
        for name in views[0]:
            what = f"the {name} of {seat} differs in a twin"
            self.compare(f"twins: {name}", what, views[0][name], views[1][name], run)

    def copies(self, run: Run) -> None:
        """Check that copies play on alike and share no memory; find a way of copying for `masks`."""
        self.fork = None
        for name, way in self.ways.items():
            check = f"copies: {name}"
            if name != "clone" and hasattr(run.table.env.unwrapped, "_ezpickle_args"):
                self.report.note(f"{check}: copies start anew (gymnasium.utils.EzPickle)")
                continue
            try:
                here, there = self.at(way, run), self.at(way, run)
            except Exception as error:
                self.report.note(f"{check}: {type(error).__name__}: {first_line(error)}")
                continue
            seats = here.table.seats()
            before = copy.deepcopy([here.table.seen(seat) for seat in seats])
            there.play(40)
            after = [here.table.seen(seat) for seat in seats]
            mine = self.compare(check, "a copy changes when another is played", before, after, run)
            truth = Run(self.make(), run.seed, run.actions)
            truth.random.setstate(run.random.getstate())
            truth.play(len(run.trace) + 40)
            pair = there.trace, truth.trace[len(run.trace) :]
            alike = self.compare(check, "a copy (left) plays on differently", pair[0], pair[1], run)
            if mine and alike:
                self.fork = way

    def at(self, way: Callable[[Any], Any] | None, run: Run) -> Run:
        """A run that goes on from the position of another, from a copy or (None) by replay."""
        if way is None:
            return Run(self.make(), run.seed, run.actions)
        new = copy.copy(run)
        new.table = copy.copy(run.table)
        new.table.env = way(run.table.env)
        new.random, new.trace, new.kept = random.Random(), [], []
        new.random.setstate(run.random.getstate())
        new.given, new.earned = {}, {}
        return new

    def masks(self, run: Run) -> None:
        """Try moves one by one: a step refuses exactly those that the mask forbids."""
        seat = run.table.turn()
        seen = run.table.seen(seat) if seat is not None else {"termination": True}
        mask = None if seen["termination"] or seen["truncation"] else mask_of(seen)
        if mask is None:
            return
        start = int(getattr(run.table.spaces(seat)[1], "start", 0))
        size = getattr(run.table.spaces(seat)[1], "n", len(mask))
        self.compare("masks: size", f"the mask of {seat} is not as long as the action space", size, len(mask), run)
        for legal in (True, False):
            some = np.flatnonzero(mask.astype(bool) == legal).tolist()
            for action in self.random.sample(some, min(MOVES, len(some))):
                tried = self.at(self.fork, run)
                try:
                    tried.table.step(start + action)
                    accepted = not tried.table.refused()
                except Exception:
                    accepted = False
                words = [f"{seat} {start + action} is {'accepted' if yes else 'refused'}" for yes in (legal, accepted)]
                check = "masks: allowed moves" if legal else "masks: forbidden moves"
                self.compare(check, "the mask (left) is not what step does (right)", words[0], words[1], run)

    def seeds(self, run: Run) -> None:
        """Play the game again, with the same seed: alone, in a used environment, and beside another game."""
        first = Run(self.make(), run.seed)
        beside = Run(self.make(), run.seed + 1)
        while len(first.trace) < len(run.trace) and first.step():
            if not beside.step():
                beside = Run(self.make(), run.seed + 1)
        again = Run(first.table, run.seed).play(len(run.trace))
        for check, other in (("seeds: beside another", first), ("seeds: used environment", again)):
            pairs = zip(run.trace, other.trace, strict=False)
            k = next((k for k, (a, b) in enumerate(pairs) if rows(a) != rows(b)), None)
            views = ("", "") if k is None else (run.trace[k], other.trace[k])
            what = "a game with the same seed and the same random moves goes differently"
            if k is None and len(run.trace) != len(other.trace):
                views = f"{len(run.trace)} steps", f"{len(other.trace)} steps"
            self.report.compare(check, what, views, len(run.trace), lambda: (run.moves[:k], run.moves[:k]))  # noqa: B023

    def processes(self, seed: int) -> None:
        """Play one game in other processes with other hash seeds."""
        run = Run(self.make(), seed).play()
        module = "spacemission_env.leaktest.command"
        for hash_seed in HASH_SEEDS:
            environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
            command = [sys.executable, "-m", module, str(self.target), str(seed)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                self.report.note(f"seeds: other process: {(done.stderr.strip() or 'failed').splitlines()[-1]}")
                return
            result = done.stdout.strip().splitlines()[-1]
            what = "another process plays the game with the same seed differently"
            self.compare("seeds: other process", what, digest(run), result, run)


def check_environment(
    make: Callable[[], Any],
    twin: Twin | None = None,
    *,
    games: int = 20,
    seed: int = 0,
    seconds: float = 60.0,
    target: str | None = None,
) -> Report:
    """Check a PettingZoo AEC or a Gymnasium environment.

    Args:
        make: returns a new environment.
        twin: `twin(env, seat, rng)` returns an environment that differs from `env` only in what the seat may
            not know, or None; it leaves `env` as it is. Without it leaks are not looked for.
        games: random games to play.
        seed: seed of all random choices; game i is reset with `seed + i`.
        seconds: time after which no new game is begun.
        target: name for the command line, such as `pettingzoo:hanabi_v5`; with it other processes play too.

    Raises:
        SetupError: it is neither kind of environment.
    """
    env = make()
    if hasattr(env, "agent_iter"):
        table: type[Table] = AecTable
    elif hasattr(env, "observation_space") and not hasattr(env, "possible_agents"):
        table = GymTable
    else:
        raise SetupError(f"{target or type(env).__name__}: neither a PettingZoo AEC nor a Gymnasium environment")
    report = Report(target or str(env))
    checks = Checks(lambda: table(make()), report, twin, target, seed)
    until = monotonic() + seconds
    for i in range(games):
        if monotonic() > until:
            report.note(f"the rest of the games: {seconds:g} seconds were over")
            break
        checks.game(seed + i, until)
    if target is not None:
        checks.processes(seed)
    if twin is None:
        report.note("leaks: there is no hook `twin` for this environment")
    elif not report.counts.get("twins"):
        report.note("leaks: the hook `twin` made no twin")
    return report
