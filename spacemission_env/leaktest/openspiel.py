"""Compares a seat's views of OpenSpiel states that the seat cannot tell apart.

Two histories are twins for a seat if its information state string is equal in both. In a game without that
string, the seat's observation string at every decision and the seat's actions must be equal. The test makes a
twin by exchanging two chance outcomes or two actions of another player, or by sampling one of these again;
later moves that become illegal are sampled again too. All other views of the seat must be equal in twins.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spacemission_env.core.errors import SetupError, first_line
from spacemission_env.leaktest.report import Report

ROUND = 20  # games that are played before their positions are checked
NEAR = 6  # a position within this many moves after a rare move counts as near it
POSITIONS = 20  # positions per game that are checked, on average
SECONDS = 60.0  # default time
ENOUGH = 400, 4000, 1000  # games and twins after which to stop; games after which to stop anyway
TRIES = 4  # attempts to make a twin of a position
TRUTHS = 100  # samples of `resample_from_infostate` that must not all be the same state
TREE = 20_000  # a game's tree is walked if it has at most this many nodes
GROUPS, DRAWS = 8, 1_000  # information states tried in such a game; most samples from each
WORST = 6.0  # a chi-square this many standard deviations high (Wilson and Hilferty) is not chance

Move = tuple[int, int]  # player and action
View = Callable[[Any, int], Any]


def load(name: str) -> Any:
    """Load a game by name, such as `leduc_poker(players=3)`; SetupError if it cannot be tested."""
    try:
        import pyspiel
    except ImportError:
        raise SetupError("OpenSpiel is needed: pip install 'spacemission-env[openspiel]'") from None

    if name.startswith("python_"):
        import open_spiel.python.games  # noqa: F401
    try:
        game = pyspiel.load_game(name)
    except (RuntimeError, ValueError) as error:
        raise SetupError(f"openspiel:{name}: {first_line(error)}") from None
    if game.get_type().dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise SetupError(f"openspiel:{name}: players move at the same time; use turn_based_simultaneous_game")
    if game.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise SetupError(f"openspiel:{name}: the game draws chance itself; twins need explicit chance")
    return game


def outcomes(state: Any) -> list[tuple[int, float]]:
    """The possible outcomes of a chance node with their probabilities, or legal actions with weight 1."""
    if state.is_chance_node():
        return [(outcome, chance) for outcome, chance in state.chance_outcomes() if chance > 0]
    return [(action, 1.0) for action in state.legal_actions()]


@dataclass
class Line:
    """A game: its moves, and the states before, between and after them."""

    states: list[Any]
    moves: list[Move] = field(default_factory=list)

    def words(self) -> list[str]:
        """The moves as text."""
        names = [f"p{player}" if player >= 0 else "chance" for player, _ in self.moves]
        pairs = zip(self.states, self.moves, names, strict=False)
        return [f"{name} {state.action_to_string(*move)}" for state, move, name in pairs]


Position = tuple[Line, int, int]  # a game, the number of moves before the position, and a seat


def line_to(state: Any) -> Line:
    """The game that leads to a state."""
    line = Line([state.get_game().new_initial_state()])
    for action in state.history():
        line.moves.append((line.states[-1].current_player(), action))
        line.states.append(line.states[-1].child(action))
    return line


def random_line(game: Any, rng: random.Random, seen: Counter[Move], earlier: list[Line]) -> Line:
    """Play a random game; about half of the moves are sampled from those chosen least often so far (`seen`).

    About half of the games begin like one of the `earlier` games, up to the move that was chosen least often.
    """
    state = game.new_initial_state()
    pairs = [pair for old in earlier for pair in zip(old.moves, old.states, strict=False) if pair[0][0] >= 0]
    if pairs and rng.random() < 0.5:
        state = min(pairs, key=lambda pair: (seen[pair[0]], rng.random()))[1].clone()
    while not state.is_terminal():
        player = state.current_player()
        actions, weights = map(list, zip(*outcomes(state), strict=True))
        if player >= 0 and rng.random() < 0.5:
            least = min(seen[player, action] for action in actions)
            weights = [float(seen[player, action] == least) for action in actions]
        action = rng.choices(actions, weights)[0]
        seen[player, action] += player >= 0
        state.apply_action(action)
    return line_to(state)


def positions(lines: list[Line], seats: int, seen: Counter[Move], rng: random.Random) -> list[Position]:
    """Sample decisions of some games, each with a seat: half at random, half near a rarely chosen move."""
    decisions = [(line, k) for line in lines for k, move in enumerate(line.moves) if move[0] >= 0]
    some = [(line, k, seat) for line, k in decisions for seat in range(seats)]
    rng.shuffle(some)

    def times(position: Position) -> int:
        line, k, _ = position
        return min(seen[move] for move in line.moves[max(0, k - NEAR) : k + 1] if move[0] >= 0)

    half = POSITIONS * len(lines) // 2
    order = sorted(some, key=times)
    return some if len(some) <= 2 * half else order[:half] + some[:half]


class Seats:
    """What a seat of a game sees: the text that defines twins (`key`), and the views that must be equal."""

    def __init__(self, game: Any) -> None:
        """Find the text that defines twins."""
        kind, names = (
            game.get_type(),
            ("information_state_string", "observation_string", "observation_tensor"),
        )
        key, *others = [name for name in names if getattr(kind, f"provides_{name}")]
        others += ["information_state_tensor"] * kind.provides_information_state_tensor
        self.game, self.key, self.recall = game, _method(key), kind.provides_information_state_string
        self.word = f"{'' if self.recall else 'history of '}{key.replace('_', ' ')}"
        self.others = {name.replace("_", " "): _method(name) for name in (key, *others)[int(self.recall) :]}
        self.acting: dict[str, View] = {  # compared if the same player is to act in both
            "legal actions": lambda s, p: s.legal_actions(p),
            "legal actions mask": lambda s, p: s.legal_actions_mask(p),
            "action strings": lambda s, p: [s.action_to_string(p, action) for action in s.legal_actions(p)],
        }

    def views(self, state: Any, report: Report) -> dict[str, View]:
        """The views that the game provides, without those that fail in `state`, which must be a decision."""
        from open_spiel.python.observation import make_observation
        from pyspiel import IIGObservationType, PrivateInfoType

        views: dict[str, View] = {
            **self.others,
            "observation struct": lambda s, p: json.loads(s.to_observation_struct(p).to_json()),
            "returns so far": lambda s, p: [s.player_return(p), s.player_reward(p)],
        }
        for recall, private in itertools.product((False, True), ("SINGLE_PLAYER", "NONE")):
            name = f"observer{', perfect recall' * recall}{', public only' * (private == 'NONE')}"
            wanted = IIGObservationType(perfect_recall=recall, private_info=getattr(PrivateInfoType, private))
            with contextlib.suppress(RuntimeError, ValueError):  # most games lack some of these four
                if (observer := make_observation(self.game, wanted)) is not None:
                    views[name] = _observer_view(observer)
        for name, view in list(views.items()):
            if isinstance(seen := look(view, state, state.current_player()), Exception):
                del views[name]
                if "observer" not in name:
                    report.note(f"{name}: {first_line(seen)}")
        return views


def _method(name: str) -> View:
    return lambda state, seat: getattr(state, name)(seat)


def _observer_view(observer: Any) -> View:
    def view(state: Any, player: int) -> Any:
        observer.set_from(state, player)
        seen = {piece: np.array(values) for piece, values in observer.dict.items()}
        packed = observer.compress() if seen and hasattr(observer, "compress") else b""
        return {**seen, "text": observer.string_from(state, player), "serialized": packed}

    return view


def look(view: View, state: Any, seat: int) -> Any:
    """A view, or the error that it raises."""
    try:
        return view(state, seat)
    except Exception as error:
        return error


def make_twin(line: Line, k: int, seat: int, seats: Seats, rng: random.Random) -> tuple[Any, bool] | None:
    """Try to make another state that the seat cannot tell from the line's state before move `k`.

    Returns:
        The state, and whether the two games looked equal at the seat's earlier decisions too; None if the
        attempt fails.
    """
    hidden = [i for i in range(k) if line.moves[i][0] != seat]
    if not hidden:
        return None
    plan: list[int | None] = [action for _, action in line.moves[:k]]
    first = rng.choice(hidden)
    others = [j for j in hidden if line.moves[j][0] == line.moves[first][0] and plan[j] != plan[first]]
    if others and rng.random() < 0.7:
        second = rng.choice(others)
        plan[first], plan[second] = plan[second], plan[first]
        first = min(first, second)
    else:
        plan[first] = None
    state, always = line.states[first].clone(), True
    for n in range(first, k):
        player, was = line.moves[n]
        if state.is_terminal() or state.current_player() != player:
            return None
        if player == seat or (player >= 0 and not seats.recall):
            always = always and seats.key(state, seat) == seats.key(line.states[n], seat)
            if not always and not seats.recall:
                return None
        legal, action = [a for a, _ in outcomes(state)], plan[n]
        if action not in legal:
            legal = [a for a in legal if n > first or a != was]
            if player == seat or not legal:
                return None
            action = rng.choice(legal)
        state.apply_action(action)
    if state.is_terminal() or state.is_chance_node():
        return None
    return (state, always) if seats.key(state, seat) == seats.key(line.states[k], seat) else None


def check_openspiel(
    game: Any, *, games: int | None = None, seed: int = 0, seconds: float = SECONDS,
    progress: Callable[[Report], None] = lambda report: None,
) -> Report:  # fmt: skip
    """Look for leaks in a sequential OpenSpiel game with explicit chance.

    Args:
        game: name of the game, or a `pyspiel.Game`.
        games: number of random games; None: play until enough was compared.
        seed: seed of all random choices.
        seconds: time after which no new position is looked at.
        progress: is called with the report many times.

    Raises:
        SetupError: the game cannot be tested.
    """
    game = load(game) if isinstance(game, str) else game
    report = Report(f"openspiel:{game}", seconds, ENOUGH, progress)
    checks = _Checks(Seats(game), random.Random(seed), report)
    seen, lines = Counter[Move](), list[Line]()
    while left := report.left(games):
        earlier, lines = lines, []
        while len(lines) < min(ROUND, left) and not report.over():
            lines.append(random_line(game, checks.rng, seen, earlier + lines))
            report.counts["games"] += 1
        for line, k, seat in positions(lines, game.num_players(), seen, checks.rng):
            if report.over():
                break
            checks.position(line, k, seat)
    if checks.resamples and checks.seats.recall and not report.over():
        checks.distribution(game.new_initial_state())
    return report.end("no two positions that look the same to a seat were made")


@dataclass
class _Checks:
    seats: Seats
    rng: random.Random
    report: Report
    views: dict[str, View] | None = None
    resamples: bool = True

    def compare(self, check: str, what: str, views: Sequence[Any], state: Any, other: Any = None) -> bool:
        def example() -> tuple[list[str], list[str]]:
            return line_to(state).words(), line_to(other or state).words()

        return self.report.compare(check, what, views, example, len(state.history()))

    def resample(self, state: Any, seat: int) -> Any:
        return state.resample_from_infostate(seat, self.rng.random)

    def position(self, line: Line, k: int, seat: int) -> None:
        """Compare the views of a seat in twins and in a resampled state."""
        state, seats, other = line.states[k], self.seats, None
        if self.views is None:
            self.views = seats.views(state, self.report)
            if isinstance(error := look(self.resample, state, seat), Exception):
                self.resamples = False
                self.report.note(f"resample_from_infostate: {first_line(error)}")
        self.report.counts["positions"] += 1
        for _ in range(TRIES):
            made = make_twin(line, k, seat, seats, self.rng)
            if made is not None:
                self.report.counts["twins"] += 1
                self.twins(seat, state, *made, self.views)
                other = made[0] if made[1] and str(made[0]) != str(state) else other
        if not self.resamples:
            return
        drawn = look(self.resample, state, seat)
        failed, pair = isinstance(drawn, Exception), ["a state", drawn]
        if not failed:
            pair = [f"player {one.current_player()} to act\n{seats.key(one, seat)}" for one in (state, drawn)]
        self.compare("resample, same view", f"a resampled state looks different to seat {seat}", pair, state)
        if other is not None and not failed:
            draws = (self.resample(state, seat) for _ in range(TRUTHS))
            always = all(str(draw) == str(drawn) for draw in draws)
            true = str(drawn) == str(state)
            what = f"{TRUTHS} draws were the true state (left); seat {seat} cannot exclude another (right)"
            views = (str(state), str(other)) if always and true else ("", "")
            self.compare("resample, not the truth", what, views, state, other)
            what = f"{TRUTHS} draws were one state (right); seat {seat} cannot exclude the true one (left)"
            views = (str(state), str(drawn)) if always and not true else ("", "")
            self.compare("resample, draws differ", what, views, state, other)

    def twins(self, seat: int, state: Any, other: Any, always: bool, views: dict[str, View]) -> None:
        what = f"the {self.seats.word} of seat {seat} is the same"
        if self.seats.recall:
            now = f"{what} now, but differed at an earlier decision of this seat"
            if not self.compare("perfect recall", now, (True, always), state, other):
                return
        turns = state.current_player(), other.current_player()
        self.compare("player to act", f"{what}, this is not", turns, state, other)
        for name, view in {**views, **(self.seats.acting if turns[0] == turns[1] else {})}.items():
            pair = look(view, state, seat), look(view, other, seat)
            self.compare(name, f"{what}, this is not", pair, state, other)

    def distribution(self, start: Any) -> None:
        """Compare frequencies of resampled states with exact probabilities, in small games where only chance
        is hidden.
        """
        left, groups = [TREE], dict[tuple[int, str], list[tuple[Any, float, tuple[int, ...]]]]()
        for state, probability in _walk(start, 1.0, left):
            chosen = tuple(move.action for move in state.full_history() if move.player >= 0)
            key = state.current_player(), self.seats.key(state, state.current_player())
            groups.setdefault(key, []).append((state, probability, chosen))
        if left[0] < 0:
            self.report.note(f"resample, distribution: the game has more than {TREE:,} nodes")
            return
        some = [
            w
            for w in groups.values()
            if len({chosen for *_, chosen in w}) == 1 < len({str(s) for s, *_ in w})
        ]
        for worlds in self.rng.sample(some, min(GROUPS, len(some))):
            state, right = worlds[0][0], dict[str, float]()
            for world, probability, _ in worlds:
                right[str(world)] = right.get(str(world), 0.0) + probability
            n = min(DRAWS, round(100 * sum(right.values()) / min(right.values())))
            drawn = Counter(str(self.resample(state, state.current_player())) for _ in range(n))
            means = {world: n * p / sum(right.values()) for world, p in right.items()}
            square, k = sum((drawn[w] - mean) ** 2 / mean for w, mean in means.items()), len(right) - 1
            far = ((square / k) ** (1 / 3) - (1 - 2 / (9 * k))) / (2 / (9 * k)) ** 0.5 > WORST
            views = [{world: round(m / n, 3) for world, m in counts.items()} for counts in (means, drawn)]
            what = f"frequencies of {n:,} draws (right) are not the probabilities (left)"
            wrong = far or not drawn.keys() <= right.keys()
            self.compare("resample, distribution", what, views if wrong else ("", ""), state)


def _walk(state: Any, probability: float, left: list[int]) -> Iterator[tuple[Any, float]]:
    """Yield every decision of a game with the probability of its chance outcomes; stop after `left` nodes."""
    left[0] -= 1
    if left[0] < 0 or state.is_terminal():
        return
    if not state.is_chance_node():
        yield state, probability
    for action, chance in outcomes(state):
        yield from _walk(state.child(action), probability * chance, left)
