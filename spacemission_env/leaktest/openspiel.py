"""Compares the views of a seat in OpenSpiel games that it cannot tell apart.

Two histories are twins for a seat if its information state string is the same in both. Without that string,
the seat's observation string at every decision of every player counts, and its own actions. A twin is made by
a change of chance outcomes or of other players' actions: two are exchanged, or one is drawn again; later
moves that this makes illegal are drawn again too. Every other view must be equal in twins.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spacemission_env.core.errors import SetupError, first_line
from spacemission_env.leaktest.report import Report

ROUND = 20  # games that are played before their positions are looked at
NEAR = 7  # moves of which the last is the position's own
POSITIONS = 20  # positions of a game that are looked at, on average
TRIES = 4  # attempts to make a twin of each
TRUTHS = 100  # draws from `resample_from_infostate` that must not all be the true state
DEALS = 10_000  # random deals, with whose frequencies those of draws are compared
ENOUGH = 100  # of them that look the same to a seat
RARE = 20.0  # chance exceeds the limit of chi-square with a probability of exp(-RARE) at most

View = Callable[[Any, int], Any]
VIEWS = "information_state_string", "observation_string", "observation_tensor", "information_state_tensor"


def load(name: str) -> Any:
    """Load a game by name, such as `leduc_poker(players=3)`; SetupError if it cannot be tested."""
    import pyspiel

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


class Step(NamedTuple):
    """A state, whose turn it is there, and what is chosen; 0 in the last state of a line."""

    state: Any
    player: int
    action: int


def line_to(state: Any) -> list[Step]:
    """The game that leads to a state."""
    states = [state.get_game().new_initial_state()]
    for action in state.history():
        states.append(states[-1].child(action))
    pairs = zip(states, [*state.history(), 0], strict=True)
    return [Step(before, before.current_player(), action) for before, action in pairs]


def words(state: Any) -> list[str]:
    """The moves that lead to a state, as text."""
    names = [(f"p{step.player}" if step.player >= 0 else "chance", step) for step in line_to(state)[:-1]]
    return [f"{name} {step.state.action_to_string(step.player, step.action)}" for name, step in names]


def random_line(game: Any, rng: random.Random, seen: Counter[Any], earlier: list[list[Step]]) -> list[Step]:
    """Play a random game; about half of the moves are of those that were chosen least often so far (`seen`).

    About half of the games begin like one of the earlier ones, up to the move that was chosen least often.
    """
    state = game.new_initial_state()
    moves = [step for line in earlier for step in line if step.player >= 0]
    if moves and rng.random() < 0.5:
        state = min(moves, key=lambda step: (seen[step[1:]], rng.random())).state.clone()
    while not state.is_terminal():
        player = state.current_player()
        legal = state.legal_actions()
        if player >= 0 and rng.random() < 0.5:
            least = min(seen[player, action] for action in legal)
            legal = [action for action in legal if seen[player, action] == least]
        action = rng.choice(legal)
        seen[player, action] += player >= 0
        state.apply_action(action)
    return line_to(state)


def positions(lines: list[list[Step]], seats: int, seen: Counter[Any], rng: random.Random) -> list[Any]:
    """The lines that lead to decisions, each with a seat: half at random, half soon after rare moves."""
    before = [line[: k + 1] for line in lines for k, step in enumerate(line) if step.player >= 0]
    some = list(itertools.product(before, range(seats)))
    rng.shuffle(some)

    def times(position: Any) -> int:
        return min(seen[step[1:]] for step in position[0][-NEAR:] if step.player >= 0)

    half = POSITIONS * len(lines) // 2
    return sorted(some, key=times)[:half] + some[:half]


ACTING: dict[str, View] = {  # compared if it is the same player's turn
    "legal actions": lambda s, p: s.legal_actions(p),
    "legal actions mask": lambda s, p: s.legal_actions_mask(p),
    "action strings": lambda s, p: [s.action_to_string(p, action) for action in s.legal_actions(p)],
}


class Seats:
    """What a seat of a game sees: the text that defines twins (`key`), and the views that must be equal."""

    def __init__(self, game: Any) -> None:
        """Find the text; without an information state string, the history of another view defines twins."""
        kind = game.get_type()
        key, *others = [name for name in VIEWS if getattr(kind, f"provides_{name}")]
        self.game, self.key, self.recall = game, _method(key), kind.provides_information_state_string
        self.word = f"{'' if self.recall else 'history of '}{key.replace('_', ' ')}"
        self.others = {name.replace("_", " "): _method(name) for name in others}

    def views(self, state: Any, report: Report) -> dict[str, View]:
        """The views that the game provides: those that do not fail at this decision."""
        from open_spiel.python.observation import make_observation
        from pyspiel import IIGObservationType, PrivateInfoType

        views: dict[str, View] = {
            **self.others,
            "observation struct": lambda s, p: s.to_observation_struct(p).to_json(),
            "returns so far": lambda s, p: [s.player_return(p), s.player_reward(p)],
        }
        for recall, private in itertools.product((False, True), ("SINGLE_PLAYER", "NONE")):
            name = f"observer{', perfect recall' * recall}{', public only' * (private == 'NONE')}"
            wanted = IIGObservationType(perfect_recall=recall, private_info=getattr(PrivateInfoType, private))
            with contextlib.suppress(RuntimeError, ValueError):  # most games have some of the four
                views[name] = _observer_view(make_observation(self.game, wanted))
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


def _change(line: list[Step], seat: int, rng: random.Random) -> list[int | None]:
    """The actions of a line with two of other players exchanged, or one to draw again (None)."""
    plan: list[int | None] = [step.action for step in line[:-1]]
    hidden = [i for i in range(len(plan)) if line[i].player != seat]
    if hidden:
        first = rng.choice(hidden)
        others = [j for j in hidden if line[j].player == line[first].player and plan[j] != plan[first]]
        if others and rng.random() < 0.7:
            second = rng.choice(others)
            plan[first], plan[second] = plan[second], plan[first]
        else:
            plan[first] = None
    return plan


def make_twin(line: list[Step], seat: int, seats: Seats, rng: random.Random) -> tuple[Any, bool] | None:
    """Another state that the seat cannot tell from the last state of a line; or None.

    It comes with whether the seat could not tell them apart at its earlier decisions either.
    """
    plan = _change(line, seat, rng)
    first = next((n for n, action in enumerate(plan) if action != line[n].action), None)
    if first is None:
        return None
    state, always = line[first].state.clone(), True
    for n in range(first, len(plan)):
        was, player, action = line[n].state, line[n].player, plan[n]
        if state.is_terminal() or state.current_player() != player:
            return None
        if player == seat or (player >= 0 and not seats.recall):
            always = always and seats.key(state, seat) == seats.key(was, seat)
            if not always and not seats.recall:
                return None
        legal = state.legal_actions()
        if action not in legal:
            legal = [a for a in legal if n > first or a != line[n].action]
            if player == seat or not legal:
                return None
            action = rng.choice(legal)
        state.apply_action(action)
    if state.is_terminal() or state.is_chance_node():
        return None
    return (state, always) if seats.key(state, seat) == seats.key(line[-1].state, seat) else None


def check_openspiel(name: str, *, games: int = 20, seed: int = 0, seconds: float = 60.0) -> Report:
    """Look for leaks in a sequential OpenSpiel game with explicit chance.

    `check_environment` explains the options. Raises SetupError if the game cannot be tested.
    """
    game = load(name)
    rng, report = random.Random(seed), Report(f"openspiel:{game}", seconds)
    checks, seen, lines = _Checks(game, rng, report), Counter[Any](), list[list[Step]]()
    for start in range(0, games, ROUND):
        earlier, lines = lines, []
        while len(lines) < min(ROUND, games - start) and not report.over():
            lines.append(random_line(game, rng, seen, earlier + lines))
            report.counts["games"] += 1
        for line, seat in positions(lines, game.num_players(), seen, rng):
            if report.over():
                return report
            checks.position(line, seat)
    if checks.resamples and checks.seats.recall:
        checks.distribution()
    return report


class _Checks:
    """The checks of one position after another."""

    def __init__(self, game: Any, rng: random.Random, report: Report) -> None:
        """Find out, at a first decision, which views the game has and whether it resamples."""
        self.game, self.seats, self.rng, self.report = game, Seats(game), rng, report
        first = random_line(game, rng, Counter(), [])
        state = next(step.state for step in first if step.player >= 0)
        self.views = self.seats.views(state, report)
        failed = look(self.resample, state, state.current_player())
        self.resamples = not isinstance(failed, Exception)
        if not self.resamples:
            report.note(f"resample_from_infostate: {first_line(failed)}")

    def compare(self, check: str, what: str, views: Sequence[Any], state: Any, other: Any = None) -> bool:
        return self.report.compare(check, what, views, lambda: (words(state), words(other or state)))

    def resample(self, state: Any, seat: int) -> Any:
        return state.resample_from_infostate(seat, self.rng.random)

    def position(self, line: list[Step], seat: int) -> None:
        """Compare what a seat sees in the last state of a line, in twins and in a resampled state."""
        state, other = line[-1].state, None
        self.report.counts["positions"] += 1
        for _ in range(TRIES):
            made = make_twin(line, seat, self.seats, self.rng)
            if made is not None:
                self.report.counts["twins"] += 1
                self.twins(seat, state, *made)
                other = made[0] if made[1] and str(made[0]) != str(state) else other
        if self.resamples and self.resampled_view(state, seat) and other is not None:
            self.resampled_truth(state, other, seat)

    def twins(self, seat: int, state: Any, other: Any, always: bool) -> None:
        """Compare all views of a seat in two states that it cannot tell apart now (`always`: nor before)."""
        what = f"the {self.seats.word} of seat {seat} is the same"
        if self.seats.recall:
            now = f"{what} now, but differed at an earlier decision of this seat"
            if not self.compare("perfect recall", now, (True, always), state, other):
                return
        turns = state.current_player(), other.current_player()
        self.compare("player to act", f"{what}, this is not", turns, state, other)
        for name, view in {**self.views, **(ACTING if turns[0] == turns[1] else {})}.items():
            pair = look(view, state, seat), look(view, other, seat)
            self.compare(name, f"{what}, this is not", pair, state, other)

    def resampled_view(self, state: Any, seat: int) -> bool:
        """Whether a resampled state looks the same to the seat."""

        def view(of: Any, seat: int) -> str:
            return f"player {of.current_player()} to act\n{self.seats.key(of, seat)}"

        pair = view(state, seat), look(lambda s, p: view(self.resample(s, p), p), state, seat)
        what = f"a resampled state looks different to seat {seat}"
        return self.compare("resample, same view", what, pair, state)

    def resampled_truth(self, state: Any, other: Any, seat: int) -> None:
        """Not every draw is the true state, if the seat cannot exclude another."""
        always = all(str(self.resample(state, seat)) == str(state) for _ in range(TRUTHS))
        what = f"{TRUTHS} draws were the true state (left); seat {seat} cannot exclude another (right)"
        views = (str(state), str(other)) if always else ("", "")
        self.compare("resample, not the truth", what, views, state, other)

    def distribution(self) -> None:
        """Compare resampled deals with random deals that look the same to a seat, if the deals are few."""
        groups, seats = defaultdict[Any, list[Any]](list), range(self.game.num_players())
        for _ in range(DEALS):
            state = self.game.new_initial_state()
            while state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(self.rng.choices(outcomes, chances)[0])
            for seat in seats:
                groups[seat, self.seats.key(state, seat)].append(state)
            if len(groups) > len(seats) * DEALS / ENOUGH:
                self.report.note("resample, distribution: there are too many deals")
                return
        for (seat, _), states in groups.items():
            if len(states) >= ENOUGH:
                self.frequencies(seat, states)

    def frequencies(self, seat: int, states: list[Any]) -> None:
        """Compare the frequencies of states that look the same to a seat with those of as many draws."""
        right = Counter(map(str, states))
        drawn = Counter(str(self.resample(states[0], seat)) for _ in states)
        both = right + drawn
        square = sum((right[state] - drawn[state]) ** 2 / n for state, n in both.items())  # chi-square
        limit = len(both) + 2 * (len(both) * RARE) ** 0.5 + 2 * RARE  # Laurent and Massart (2000), lemma 1
        what = f"frequencies of {len(states):,} draws (right) are not those of random deals (left)"
        views = (right, drawn) if square > limit else ("", "")
        self.compare("resample, distribution", what, views, states[0])
