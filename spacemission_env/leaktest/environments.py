"""Checks PettingZoo (AEC) and Gymnasium environments; finds leaks by a hook that makes twins.

A twin for a seat is an environment that differs only in what the seat may not know.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import os
import pickle
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from spacemission_env.core.errors import SetupError, first_line
from spacemission_env.leaktest.report import Report, differences

STEPS = 200  # maximum number of steps in a game
PLACES = 6  # positions per game that are copied, and whose moves are tried one by one
MOVES = 12  # moves of each kind, allowed and forbidden, that are tried in such a position
EARLIER = 20  # number of the last games whose beginnings a new game may repeat
ON = 20  # steps that are compared in a copy and in another process
HASH_SEEDS = ("1", "2")  # values of PYTHONHASHSEED in the other processes
SECONDS = 60.0  # default time
ENOUGH = 60, 2000, 400  # games and twins after which to stop; games after which to stop anyway

Twin = Callable[[Any, Any, random.Random], Any]


class Alone:
    """Gives a Gymnasium environment the attributes and methods of an AEC environment; its seat is "agent"."""

    agent_selection = "agent"

    def __init__(self, env: Any) -> None:
        self.env, self.unwrapped = env, env.unwrapped

    def reset(self, seed: int) -> None:
        observation, info = self.env.reset(seed=seed)
        self._keep(observation, 0.0, False, False, info)

    def step(self, action: Any) -> None:
        self._keep(*self.env.step(action))

    def _keep(self, observation: Any, reward: Any, terminated: Any, truncated: Any, info: Any) -> None:
        if hasattr(self.unwrapped, "action_masks"):
            info = {**info, "action_mask": self.unwrapped.action_masks()}
        self.observation, self.infos = observation, {"agent": info}
        self.rewards = self._cumulative_rewards = {"agent": reward}
        self.terminations, self.truncations = {"agent": terminated}, {"agent": truncated}
        self.agents = [] if terminated or truncated else ["agent"]

    def observe(self, seat: str) -> Any:
        return self.observation

    def observation_space(self, seat: str) -> Any:
        return self.env.observation_space

    def action_space(self, seat: str) -> Any:
        return self.env.action_space


def given(env: Any, seat: Any) -> dict[str, Any]:
    """All that an AEC environment gives to a seat now."""
    return {
        "turn": env.agent_selection,
        "observation": env.observe(seat),
        "reward": env._cumulative_rewards[seat],
        "termination": env.terminations[seat],
        "truncation": env.truncations[seat],
        "info": env.infos[seat],
    }


def _given_to_all(env: Any) -> list[dict[str, Any]]:
    return [given(env, seat) for seat in env.agents]


def _global_states() -> list[str]:
    return [f"random: {hash(random.getstate())}", f"numpy.random: {np.random.get_state()}"]


def mask_of(seen: dict[str, Any]) -> np.ndarray | None:
    """The action mask in the observation or info; None if there is none or the game is over for the seat."""
    places = [place for place in (seen["observation"], seen["info"]) if isinstance(place, dict)]
    masks = [place["action_mask"] for place in places if "action_mask" in place]
    out = seen["termination"] or seen["truncation"]
    return np.asarray(masks[0]) if masks and not out else None


def refused(env: Any) -> bool:
    """Whether PettingZoo's `TerminateIllegalWrapper` ended the game."""
    while "env" in vars(env) and not vars(env).get("_terminated"):
        env = vars(env)["env"]
    return bool(vars(env).get("_terminated"))


def clone(env: Any) -> Any:
    """Copy an environment in the middle of a game, even one with `EzPickle`, whose `deepcopy` starts anew."""
    memo: dict[int, Any] = {}

    def bare(inner: Any) -> None:
        new = None
        if hasattr(inner, "_ezpickle_args"):  # only these: other classes may define how they are copied
            memo[id(inner)] = new = object.__new__(type(inner))
        for value in vars(inner).values():
            if hasattr(value, "_ezpickle_args") and id(value) not in memo:
                bare(value)
        if new is not None:
            vars(new).update({name: copy.deepcopy(value, memo) for name, value in vars(inner).items()})

    bare(env.unwrapped)
    return copy.deepcopy(env, memo)


WAYS: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "clone": clone,
}


class Run:
    """Plays a game; `trace` has for each step what the player to act was given, and what it did."""

    def __init__(
        self, env: Any, seed: int | None, actions: Iterable[Any] = (), seen: Counter[Any] | None = None
    ) -> None:
        """Reset the environment, unless the seed is None, and play the actions.

        `seen`, if given, counts how often each seat made each move; then about half of the moves are sampled
        from the legal moves that the seat has made least often.
        """
        self.env, self.random, self.seen = env, random.Random(seed), seen
        self.trace: list[dict[str, Any]] = []
        self.observations: list[Any] = []  # the observations themselves; the trace has copies
        self.sums = Counter[Any](), Counter[Any]()  # sums by seat: of rewards, and of rewards from last()
        self.failed = ""  # the error that the last move raised
        if seed is not None:
            env.reset(seed=seed)
        for action in actions:
            self.step(action)

    def step(self, *forced: Any) -> bool:
        """Play one move, at random if none is given; return False if the game is over or a move raised."""
        if not self.env.agents or self.failed:
            return False
        try:
            self._step(self.env, self.env.agent_selection, *forced)
        except Exception as error:
            self.failed = f"{type(error).__name__}: {first_line(error)}"
        return not self.failed

    def _step(self, env: Any, seat: Any, *forced: Any) -> None:
        seen = given(env, seat)
        out = seen["termination"] or seen["truncation"]
        action = forced[0] if forced else None if out else self._choose(seat, mask_of(seen))
        self.observations.append(seen["observation"])
        self.trace.append(copy.deepcopy({**seen, "action": action}))
        self.sums[1][seat] += seen["reward"]
        env.step(action)
        for name, reward in {} if out else env.rewards.items():
            self.sums[0][name] += reward

    def _choose(self, seat: Any, mask: np.ndarray | None) -> Any:
        space = self.env.action_space(seat)
        if mask is not None and mask.any():
            moves = np.flatnonzero(mask).tolist()
            if self.seen is not None and self.random.random() < 0.5:
                least = min(self.seen[seat, move] for move in moves)
                moves = [move for move in moves if self.seen[seat, move] == least]
            move = self.random.choice(moves)
            if self.seen is not None:
                self.seen[seat, move] += 1
            return int(getattr(space, "start", 0)) + move
        space.seed(self.random.randrange(2**31))
        return space.sample()

    def play(self, steps: int = STEPS) -> Run:
        """Play on to the end, or until the game has this many steps."""
        while len(self.trace) < steps and self.step():
            pass
        return self

    def actions(self) -> list[Any]:
        """The actions so far."""
        return [entry["action"] for entry in self.trace]

    def words(self, steps: int | None = None) -> list[str]:
        """The actions so far as text."""
        return [f"{entry['turn']} {entry['action']}" for entry in self.trace[:steps]]

    def digest(self) -> str:
        """A fingerprint of all that was given and done."""
        with np.printoptions(threshold=sys.maxsize):
            return hashlib.sha256(repr(self.trace).encode()).hexdigest()


class _Checks:
    """Checks one game after another; `way` is a way of copying that worked, or None."""

    def __init__(self, make: Callable[[], Any], report: Report, twin: Twin | None, seed: int) -> None:
        self.make, self.report, self.twin, self.random = make, report, twin, random.Random(seed)
        self.way: Callable[[Any], Any] | None = None
        self.seen, self.differs = Counter[Any](), False
        self.earlier: list[tuple[int, list[Any], list[Any]]] = []  # seed, players and moves of a game

    def start(self, seed: int) -> tuple[int, Run]:
        """Begin a game: half of the time a new one, else an earlier one, replayed up to its rarest move."""
        moves: list[Any] = []
        if self.earlier and self.random.random() < 0.5:
            rare = [
                (self.seen[pair], self.random.random(), old, k)
                for old, (_, seats, actions) in enumerate(self.earlier)
                for k, pair in enumerate(zip(seats, actions, strict=True))
                if pair in self.seen
            ]
            if rare:
                _, _, old, k = min(rare)
                seed, moves = self.earlier[old][0], self.earlier[old][2][:k]
        return seed, Run(self.make(), seed, moves, self.seen)

    def compare(self, check: str, what: str, views: Sequence[Any], run: Run, k: int | None = None) -> bool:
        size = len(run.trace) if k is None else k
        return self.report.compare(check, what, views, lambda: (run.words(k),) * 2, size)

    def game(self, seed: int) -> None:
        """Play one game and make all checks on it."""
        before, copies = _global_states(), list[tuple[str, int, Any, Any]]()
        seed, run = self.start(seed)
        self.report.counts["games"] += 1
        while len(run.trace) < STEPS and not self.report.over():
            self.report.counts["positions"] += 1
            for seat in list(run.env.agents):
                self.position(run, seat)
            if run.env.agents and len(copies) < PLACES * len(WAYS) and self.random.random() < 0.25:
                copies += self.copies(run)
                self.masks(run, seed)
            if not run.step():
                break
        self.compare("step", "a move that is allowed raises (right)", ("", run.failed), run)
        what = "playing changes the global state of random or numpy.random"
        self.compare("global random state", what, (before, _global_states()), run)
        what = "observations as they were given (left) change later (right)"
        observations = [entry["observation"] for entry in run.trace]
        self.compare("kept observations", what, (observations, run.observations), run)
        if not run.env.agents and not isinstance(run.env, Alone):
            sums = [{seat: round(float(total[seat]), 6) for seat in run.sums[0]} for total in run.sums]
            what = "the sum of rewards (left) is not the sum of the rewards of last() (right)"
            self.compare("reward credit", what, sums, run)
        for name, k, env, then in copies:
            check, what = f"copies, {name}", "a copy (left) changes when the original is played (right)"
            good = self.compare(check, what, (then, _given_to_all(env)), run, k)
            played = Run(env, None, run.actions()[k : k + ON])
            what = "the original (left) and a copy (right) go on differently"
            if self.compare(check, what, (run.trace[k : k + ON], played.trace), run, k) and good:
                self.way = WAYS[name]
        self.seeds(run, seed)
        seats = [entry["turn"] for entry in run.trace]
        self.earlier = [*self.earlier, (seed, seats, run.actions())][-EARLIER:]

    def position(self, run: Run, seat: Any) -> None:
        """Check that a seat's observation is in its space, and that the seat is given the same in a twin."""
        seen, space = run.env.observe(seat), run.env.observation_space(seat)
        wrong = (str(space), {"type": type(seen).__name__, "value": seen})
        what = f"what {seat} observes (right) is not in its space (left)"
        self.compare("observation space", what, ("", "") if space.contains(seen) else wrong, run)
        other = self.twin(run.env, seat, self.random) if self.twin else None
        if other is not None:
            self.report.counts["twins"] += 1
            inside = vars(run.env.unwrapped), vars(other.unwrapped)
            self.differs = self.differs or bool(differences(*inside, "env"))
            ours, theirs = given(run.env, seat), given(other, seat)
            what = f"what {seat} is given depends on what it may not know"
            for name in ours:
                self.compare(f"twins, {name}", what, (ours[name], theirs[name]), run)

    def copies(self, run: Run) -> list[tuple[str, int, Any, Any]]:
        """Copy the environment in each way; return way, number of moves, copy, and what seats are given."""
        made = []
        for name, way in WAYS.items():
            if name != "clone" and hasattr(run.env.unwrapped, "_ezpickle_args"):
                self.report.note(f"copies, {name}: copies start anew (gymnasium.utils.EzPickle)")
                continue
            try:
                env = way(run.env)
                made.append((name, len(run.trace), env, copy.deepcopy(_given_to_all(env))))
            except Exception as error:
                self.report.note(f"copies, {name}: {type(error).__name__}: {first_line(error)}")
        return made

    def masks(self, run: Run, seed: int) -> None:
        """Try moves one by one, to check that a step refuses exactly those that the mask forbids."""
        seat = run.env.agent_selection
        mask, space = mask_of(given(run.env, seat)), run.env.action_space(seat)
        if mask is None:
            return
        start = int(getattr(space, "start", 0))
        for allowed in (True, False):
            some = np.flatnonzero(mask.astype(bool) == allowed).tolist()
            for action in self.random.sample(some, min(MOVES, len(some))):
                env = self.way(run.env) if self.way else Run(self.make(), seed, run.actions()).env
                tried = Run(env, None, [start + action])
                words = [
                    f"{seat} {start + action}: {yes}"
                    for yes in (allowed, not tried.failed and not refused(env))
                ]
                check = f"masks, {'allowed' if allowed else 'forbidden'} moves"
                self.compare(check, "the mask (left) does not say what step accepts (right)", words, run)

    def seeds(self, run: Run, seed: int) -> None:
        """Repeat the game with its seed, first while another game is played, then in a used environment."""
        again, beside = Run(self.make(), seed), Run(self.make(), seed + 1)
        for action in run.actions():
            if not again.step(action):
                break
            if not beside.step():
                beside = Run(self.make(), seed + 1)
        used = Run(again.env, seed, run.actions())
        for check, other in (("seeds, beside another", again), ("seeds, used environment", used)):
            pairs = itertools.zip_longest(run.trace, other.trace)
            k = next((k for k, (a, b) in enumerate(pairs) if differences(a, b, "")), len(run.trace) - 1)
            what = "a game with the same seed and the same moves goes differently"
            self.compare(check, what, (run.trace[k : k + 1], other.trace[k : k + 1]), run, k)

    def processes(self, target: str, seed: int) -> None:
        """Play one game in other processes with other hash seeds."""
        run = Run(self.make(), seed).play(ON)
        here = run.digest()
        for hash_seed in HASH_SEEDS:
            command = [sys.executable, "-m", "spacemission_env.leaktest.command", target, str(seed)]
            environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                self.report.note(f"seeds, other process: {done.stderr.strip().rpartition(chr(10))[2]}")
                return
            what = "fingerprint of a game here (left) and with the same seed in another process (right)"
            self.compare("seeds, other process", what, (here, done.stdout.split()[-1]), run)


def check_environment(
    make: Callable[[], Any], twin: Twin | None = None, *,
    games: int | None = None, seed: int = 0, seconds: float = SECONDS, target: str | None = None,
    progress: Callable[[Report], None] = lambda report: None,
) -> Report:  # fmt: skip
    """Check a PettingZoo AEC or a Gymnasium environment.

    Args:
        make: returns a new environment.
        twin: a hook `twin(env, seat, rng)` that returns an environment that differs from `env` only in what
            the seat may not know, or None, and leaves `env` unchanged. None: do not look for leaks.
        games: number of random games; None: play until enough was compared. Game i is reset with `seed + i`,
            or repeats an earlier game up to its rarest move.
        seed: seed of all random choices.
        seconds: time after which nothing new is begun.
        target: name for the command line, such as `pettingzoo:hanabi_v5`; if given, other processes play too.
        progress: is called with the report many times.

    Raises:
        SetupError: `make` returns neither kind of environment.
    """
    env = make()
    aec = hasattr(env, "agent_iter")
    if not aec and (hasattr(env, "possible_agents") or not hasattr(env, "action_space")):
        raise SetupError(
            f"{target or type(env).__name__}: neither a PettingZoo AEC nor a Gymnasium environment"
        )
    enough = ENOUGH if twin else (ENOUGH[0], 0, ENOUGH[0])
    report = Report(target or str(env), seconds, enough, progress)
    checks = _Checks(make if aec else lambda: Alone(make()), report, twin, seed)
    while report.left(games):
        checks.game(seed + report.counts["games"])
    if target is not None:
        checks.processes(target, seed)
    if not twin or not report.counts["twins"]:
        return report.end("the hook made no twin" if twin else "there is no hook `twin`")
    if not checks.differs:
        del report.counts["twins"]
    return report.end("all twins of the hook were like the environment")


# ---------------------------------------------------------------- twins of PettingZoo's classic games

TRIES = 8  # attempts to make a twin in Hanabi


def poker(env: Any, seat: Any, rng: random.Random) -> Any:
    """Make a twin of Leduc or Texas hold'em: shuffle other players' cards together with the undealt ones."""
    new = clone(env)
    game = new.unwrapped.env.game
    others = [p for i, p in enumerate(game.players) if i != new.unwrapped.possible_agents.index(seat)]
    hands = [p.hand if isinstance(p.hand, list) else [p.hand] for p in others]
    cards = [card for hand in hands for card in hand] + game.dealer.deck
    rng.shuffle(cards)
    for player, hand in zip(others, hands, strict=True):
        dealt = [cards.pop() for _ in hand]
        player.hand = dealt if isinstance(player.hand, list) else dealt[0]
    game.dealer.deck[:] = cards
    return new


def rock_paper_scissors(env: Any, seat: Any, rng: random.Random) -> Any:
    """Make a twin of rock paper scissors: change the first player's move before the seat answers it."""
    if env.agent_selection != seat or env.agents[0] == seat:
        return None
    new = clone(env)
    new.unwrapped.state[env.agents[0]] = rng.randrange(env.action_space(seat).n)
    return new


def hanabi(env: Any, seat: Any, rng: random.Random) -> Any:
    """Make a twin of Hanabi: deal other cards to the seat, which sees all hands except its own."""
    from spacemission_env.leaktest.openspiel import Seats, line_to, make_twin

    if env.terminations[seat]:
        return None
    new = clone(env)
    inner = new.unwrapped.hanabi_env
    line, player = line_to(inner.game_state), new.unwrapped.possible_agents.index(seat)
    tries = (make_twin(line, len(line.moves), player, Seats(inner._env), rng) for _ in range(TRIES))
    made = next((made for made in tries if made), None)
    if made is None:
        return None
    inner.game_state = made[0]
    inner._update_action_masks()
    inner._update_observations()
    inner._choose_next_agent()
    new.unwrapped.agent_selection, new.unwrapped.infos = inner.agent_selection, inner.infos
    return new


HOOKS = {
    "pettingzoo:hanabi_v5": hanabi,
    "pettingzoo:leduc_holdem_v4": poker,
    "pettingzoo:rps_v2": rock_paper_scissors,
    "pettingzoo:texas_holdem_no_limit_v6": poker,
    "pettingzoo:texas_holdem_v4": poker,
}
