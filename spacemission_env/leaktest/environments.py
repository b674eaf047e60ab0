"""Checks PettingZoo (AEC) and Gymnasium environments; a hook `twin` makes leaks visible."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from time import monotonic
from typing import Any

import numpy as np

from spacemission_env.core.errors import SetupError, first_line
from spacemission_env.leaktest.report import Report, rows

STEPS = 400  # most steps of a game
PLACES = 6  # positions of a game that are copied, and whose moves are tried one by one
MOVES = 12  # moves of each kind, allowed and forbidden, that are tried there
ON = 40  # steps for which a copy plays on
HASH_SEEDS = ("1", "2")  # of the other processes

Twin = Callable[[Any, Any, random.Random], Any]


class Alone:
    """A Gymnasium environment with the names of an AEC environment, for one seat "agent"."""

    def __init__(self, env: Any) -> None:
        self.env, self.agents = env, ["agent"]
        self.agent_selection = "agent"

    @property
    def unwrapped(self) -> Any:
        return self.env.unwrapped

    def reset(self, seed: int) -> None:
        observation, info = self.env.reset(seed=seed)
        self._keep(observation, 0.0, False, False, info)

    def step(self, action: Any) -> None:
        self._keep(*self.env.step(action))

    def _keep(self, observation: Any, reward: Any, terminated: Any, truncated: Any, info: Any) -> None:
        if hasattr(self.unwrapped, "action_masks"):
            info = {**info, "action_mask": self.unwrapped.action_masks()}
        self.seen, self.infos = observation, {"agent": info}
        self.rewards = self._cumulative_rewards = {"agent": reward}
        self.terminations, self.truncations = {"agent": terminated}, {"agent": truncated}
        self.agents = [] if terminated or truncated else ["agent"]

    def observe(self, seat: str) -> Any:
        return self.seen

    def observation_space(self, seat: str) -> Any:
        return self.env.observation_space

    def action_space(self, seat: str) -> Any:
        return self.env.action_space


def given(env: Any, seat: Any) -> dict[str, Any]:
    """All that a seat is given."""
    return {
        "observation": env.observe(seat),
        "reward": env._cumulative_rewards[seat],
        "termination": env.terminations[seat],
        "truncation": env.truncations[seat],
        "info": env.infos[seat],
    }


def mask_of(seen: dict[str, Any]) -> np.ndarray | None:
    """The action mask of a seat that is in the game, from its observation or info; None if there is none."""
    for place in (seen["observation"], seen["info"]):
        if isinstance(place, dict) and place.get("action_mask") is not None:
            return np.asarray(place["action_mask"])
    return None


def refused(env: Any) -> bool:
    """Whether PettingZoo's `TerminateIllegalWrapper` ended the game."""
    while "env" in vars(env) and not vars(env).get("_terminated"):
        env = vars(env)["env"]
    return bool(vars(env).get("_terminated"))


def clone(env: Any) -> Any:
    """Copy an environment in the middle of a game, also one with `EzPickle`, which `deepcopy` starts anew."""
    memo: dict[int, Any] = {}
    _bare_copy(env.unwrapped, memo)
    return copy.deepcopy(env, memo)


def _bare_copy(inner: Any, memo: dict[int, Any]) -> None:
    memo[id(inner)] = new = object.__new__(type(inner))
    for value in vars(inner).values():
        if hasattr(value, "_ezpickle_args") and id(value) not in memo:
            _bare_copy(value, memo)
    vars(new).update({name: copy.deepcopy(value, memo) for name, value in vars(inner).items()})


class Run:
    """One game: what each player in turn was given, and what it did."""

    def __init__(self, env: Any, seed: int, actions: list[Any] | None = None) -> None:
        """Reset the environment, and play the actions, if any."""
        self.env, self.seed, self.random = env, seed, random.Random(seed)
        self.trace: list[dict[str, Any]] = []
        self.kept: list[Any] = []  # the observations themselves; the trace has copies
        self.sums = Counter[Any](), Counter[Any]()  # rewards, and rewards of last(), by seat
        self.failed = ""  # what the last move raised
        env.reset(seed=seed)
        for action in actions or []:
            self.step(action)

    @property
    def seat(self) -> Any:
        """The player in turn, also one who is out of the game; None at the end."""
        return self.env.agent_selection if self.env.agents else None

    def step(self, *forced: Any) -> bool:
        """Play one move, an allowed one at random if none is given; return False if the game is over or failed."""
        if self.seat is None or self.failed:
            return False
        env, seat, seen = self.env, self.seat, given(self.env, self.seat)
        out = seen["termination"] or seen["truncation"]
        action = forced[0] if forced else None if out else self.choose(seen)
        self.kept.append(seen["observation"])
        self.trace.append(copy.deepcopy({"turn": seat, **seen, "action": action}))
        self.sums[1][seat] += seen["reward"]
        try:
            env.step(action)
        except Exception as error:
            self.failed = f"{type(error).__name__}: {first_line(error)}"
            return False
        if not out:
            for name, reward in env.rewards.items():
                self.sums[0][name] += reward
        return True

    def choose(self, seen: dict[str, Any]) -> Any:
        """A random action."""
        space, mask = self.env.action_space(self.seat), mask_of(seen)
        if mask is not None and mask.any():
            return int(getattr(space, "start", 0)) + self.random.choice(np.flatnonzero(mask).tolist())
        space.seed(self.random.randrange(2**31))
        return space.sample()

    def play(self, steps: int = STEPS) -> Run:
        """Play on to the end, or until there are this many steps."""
        while len(self.trace) < steps and self.step():
            pass
        return self

    def actions(self) -> list[Any]:
        """The actions so far."""
        return [entry["action"] for entry in self.trace]

    def words(self, steps: int | None = None) -> list[str]:
        """The actions so far as text."""
        return [f"{entry['turn']} {entry['action']}" for entry in self.trace[:steps]]

    def fork(self, env: Any) -> Run:
        """A run that goes on from here in a copy of the environment."""
        new = copy.copy(self)
        new.env, new.trace, new.kept, new.sums = env, [], [], (Counter(), Counter())
        new.random = copy.deepcopy(self.random)
        return new

    def digest(self) -> str:
        """A fingerprint of all that was given and done."""
        return hashlib.sha256(repr([rows(entry) for entry in self.trace]).encode()).hexdigest()


WAYS: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "clone": clone,
}


class _Checks:
    def __init__(self, make: Callable[[], Any], report: Report, twin: Twin | None, seed: int) -> None:
        self.make, self.report, self.twin, self.random = make, report, twin, random.Random(seed)
        self.way: Callable[[Any], Any] | None = None  # a way of copying that works

    def compare(self, check: str, what: str, left: Any, right: Any, run: Run) -> bool:
        return self.report.compare(check, what, left, right, lambda: (run.words(),) * 2, len(run.trace))

    def game(self, seed: int, until: float) -> None:
        """Play one game and look at it in every way."""
        states = random.getstate(), repr(np.random.get_state())
        run, examined = Run(self.make(), seed), 0
        self.report.counts["games"] += 1
        while len(run.trace) < STEPS and monotonic() < until:
            self.report.counts["positions"] += 1
            for seat in list(run.env.agents):
                self.inside(run, seat)
                if self.twin is not None:
                    self.twins(self.twin, run, seat)
            if examined < PLACES and self.random.random() < 0.25:
                examined += 1
                self.copies(run)
                self.masks(run)
            if not run.step():
                break
        self.compare("step", "a move that the mask and the action space allow raises (right)", "", run.failed, run)
        after = random.getstate(), repr(np.random.get_state())
        what = "random and numpy.random keep their global state (left), but playing changes it (right)"
        now = [old == new for old, new in zip(states, after, strict=True)]
        self.compare("global random state", what, [True, True], now, run)
        what = "observations as they were given (left) change later (right)"
        self.compare("kept observations", what, [entry["observation"] for entry in run.trace], run.kept, run)
        if run.seat is None and not isinstance(run.env, Alone):
            sums = [{seat: round(float(total[seat]), 6) for seat in run.sums[0]} for total in run.sums]
            what = "the sum of rewards (left) is not the sum of the rewards of last() (right)"
            self.compare("reward credit", what, *sums, run)
        self.seeds(run)

    def inside(self, run: Run, seat: Any) -> None:
        """Check an observation against its space."""
        seen, space = run.env.observe(seat), run.env.observation_space(seat)
        wrong = "" if space.contains(seen) else {"type": type(seen).__name__, "value": seen}
        what = f"the observation of {seat} (right) is not in its space (left)"
        self.compare("observation space", what, str(space) if wrong else "", wrong, run)

    def twins(self, twin: Twin, run: Run, seat: Any) -> None:
        """Compare all that a seat is given with what it is given in a game that it cannot tell apart."""
        other = twin(run.env, seat, self.random)
        if other is None:
            return
        self.report.counts["twins"] += 1
        views = [{"turn": env.agent_selection, **given(env, seat)} for env in (run.env, other)]
        for name in views[0]:
            what = f"what {seat} is given depends on what it may not know"
            self.compare(f"twins: {name}", what, views[0][name], views[1][name], run)

    def copies(self, run: Run) -> None:
        """Check that copies play on alike and share no memory; find a way of copying for `masks`."""
        self.way, truth = None, Run(self.make(), run.seed, run.actions())
        truth = truth.fork(truth.env)
        truth.random = copy.deepcopy(run.random)
        truth.play(ON)
        for name, way in WAYS.items():
            check = f"copies: {name}"
            if name != "clone" and hasattr(run.env.unwrapped, "_ezpickle_args"):
                self.report.note(f"{check}: copies start anew (gymnasium.utils.EzPickle)")
                continue
            try:
                still, played = way(run.env), run.fork(way(run.env))
            except Exception as error:
                self.report.note(f"{check}: {type(error).__name__}: {first_line(error)}")
                continue
            seats = list(still.agents)
            before = copy.deepcopy([given(still, seat) for seat in seats])
            try:
                played.play(ON)
                after = [given(still, seat) for seat in seats]
            except Exception as error:
                after = [{"raises": first_line(error)}]
            good = self.compare(check, "a copy (left) changes when another is played (right)", before, after, run)
            what = "a copy (right) plays on in another way than the original (left)"
            if self.compare(check, what, truth.trace, played.trace, run) and good:
                self.way = way

    def masks(self, run: Run) -> None:
        """Try moves one by one: a step refuses exactly those that the mask forbids."""
        seen = {"termination": True} if run.seat is None else given(run.env, run.seat)
        mask = None if seen["termination"] or seen["truncation"] else mask_of(seen)
        if mask is None:
            return
        space = run.env.action_space(run.seat)
        start, size = int(getattr(space, "start", 0)), int(getattr(space, "n", len(mask)))
        what = "the size of the action space (left) is not the size of the mask (right)"
        self.compare("masks: size", what, size, len(mask), run)
        for allowed in (True, False):
            some = np.flatnonzero(mask.astype(bool) == allowed).tolist()
            for action in self.random.sample(some, min(MOVES, len(some))):
                env = self.way(run.env) if self.way else Run(self.make(), run.seed, run.actions()).env
                try:
                    env.step(start + action)
                    accepted = not refused(env)
                except Exception:
                    accepted = False
                words = [f"{run.seat} {start + action}: {'yes' if yes else 'no'}" for yes in (allowed, accepted)]
                check = f"masks: {'allowed' if allowed else 'forbidden'} moves"
                self.compare(check, "the mask (left) does not say what step accepts (right)", *words, run)

    def seeds(self, run: Run) -> None:
        """Play the game again with the same seed: beside another game, and in a used environment."""
        again, beside = Run(self.make(), run.seed), Run(self.make(), run.seed + 1)
        while len(again.trace) < len(run.trace) and again.step():
            if not beside.step():
                beside = Run(self.make(), run.seed + 1)
        used = Run(again.env, run.seed).play(len(run.trace))
        for check, other in (("seeds: beside another", again), ("seeds: used environment", used)):
            pairs = zip(run.trace, other.trace, strict=False)
            k = next((k for k, (a, b) in enumerate(pairs) if rows(a) != rows(b)), len(run.trace) - 1)
            what = "a game with the same seed and the same random moves goes differently"
            moves = run.words(k), run.words(k)
            self.report.compare(check, what, run.trace[k:], other.trace[k:], lambda moves=moves: moves, k)

    def processes(self, target: str, seed: int) -> None:
        """Play one game in other processes with other hash seeds."""
        run = Run(self.make(), seed).play()
        for hash_seed in HASH_SEEDS:
            command = [sys.executable, "-m", "spacemission_env.leaktest.command", target, str(seed)]
            environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                self.report.note(f"seeds: other process: {(done.stderr.split(chr(10)) or ['failed'])[-1]}")
                return
            what = "fingerprint of a game here (left) and with the same seed in another process (right)"
            self.compare("seeds: other process", what, run.digest(), done.stdout.split()[-1], run)


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
        seconds: time after which nothing new is begun.
        target: name for the command line, such as `pettingzoo:hanabi_v5`; with it other processes play too.

    Raises:
        SetupError: it is neither kind of environment.
    """
    env = make()
    if not hasattr(env, "agent_iter") and (hasattr(env, "possible_agents") or not hasattr(env, "action_space")):
        raise SetupError(f"{target or type(env).__name__}: neither a PettingZoo AEC nor a Gymnasium environment")
    until, report = monotonic() + seconds, Report(target or str(env))
    checks = _Checks(make if hasattr(env, "agent_iter") else lambda: Alone(make()), report, twin, seed)
    for i in range(games):
        if monotonic() > until:
            report.note(f"the rest of the games: {seconds:g} seconds were over")
            break
        checks.game(seed + i, until)
    if target is not None:
        checks.processes(target, seed)
    if not report.counts["twins"]:
        report.note(f"leaks: {'the hook made no twin' if twin else 'there is no hook `twin` for this environment'}")
    return report
