"""Compares the views of a seat in OpenSpiel games that it cannot tell apart.

Two histories are twins for a seat if its information state string is the same in both. For a game without that
string, what the seat saw counts: its observation string at every decision of every player, and its own actions.
Twins are made by a change of chance outcomes or of other players' actions: two of them are exchanged, or one is
drawn again; later moves that this makes illegal are drawn again too. Every other view must be equal in twins.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from spacemission_env.core.errors import SetupError, first_line
from spacemission_env.leaktest.report import Report

ROUND = 20  # games that are played before their positions are looked at
NEAR = 6  # moves after which a position no longer counts as near a seldom move
POSITIONS = 20  # positions of a game that are looked at, on average
TRIES = 4  # attempts to make a twin of each
TRUTHS = 100  # draws from `resample_from_infostate` that must not all be the true state
TREE = 20_000  # nodes of a game that is enumerated
DRAWS = 5_000  # most draws from one information state of such a game
WORST = 6.0  # standard deviations of chi-square (Wilson and Hilferty) that chance does not reach

Move = tuple[int, int]  # player and action
View = Callable[[Any, int], Any]


def load(name: str, players: int | None = None) -> Any:
    """Load an OpenSpiel game by name, such as `leduc_poker(players=3)`.

    Raises:
        SetupError: the game is unknown, simultaneous, or draws chance itself.
    """
    import pyspiel

    if name.startswith("python_"):
        import open_spiel.python.games  # noqa: F401
    try:
        game = pyspiel.load_game(name)
        if players is not None:
            game = pyspiel.load_game(game.get_type().short_name, {**game.get_parameters(), "players": players})
    except (RuntimeError, ValueError) as error:
        raise SetupError(f"openspiel:{name}: {first_line(error)}") from None
    kind = game.get_type()
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise SetupError(f"openspiel:{name}: players move at the same time; use turn_based_simultaneous_game")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise SetupError(f"openspiel:{name}: the game draws chance itself; twins need explicit chance")
    return game


@dataclass
class Line:
    """A game: the state before each move, the moves, and what defines twins, by move and seat."""

    states: list[Any]
    moves: list[Move]
    keys: dict[tuple[int, int], Any] = field(default_factory=dict)

    def key(self, seats: Seats, n: int, seat: int) -> Any:
        """What defines twins, before move `n`."""
        if (n, seat) not in self.keys:
            self.keys[n, seat] = seats.key(self.states[n], seat)
        return self.keys[n, seat]


def line_to(state: Any) -> Line:
    """The game that leads to a state; the last of its states is this state, without a move."""
    now, line = state.get_game().new_initial_state(), Line([], [])
    for action in state.history():
        line.states.append(now.clone())
        line.moves.append((now.current_player(), action))
        now.apply_action(action)
    line.states.append(now)
    return line


def random_line(game: Any, rng: random.Random, seen: Counter[Move], earlier: list[Line]) -> Line:
    """Play a random game; about half of the moves are of those that were chosen least often so far (`seen`).

    About half of the games begin like one of the earlier ones, up to the move that was chosen least often.
    """
    line, state = Line([], []), game.new_initial_state()
    if any(old.moves for old in earlier) and rng.random() < 0.5:
        rare = {(seen[move], rng.random()): (old, n) for old in earlier for n, move in enumerate(old.moves)}
        old, k = rare[min(key for key in rare if key[0])]  # outcomes of chance are not counted
        line, state = Line(old.states[:k], old.moves[:k]), old.states[k].clone()
    while not state.is_terminal():
        player = state.current_player()
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            action = rng.choices(actions, weights)[0]
        else:
            legal = state.legal_actions()
            least = min(seen[player, action] for action in legal)
            if rng.random() < 0.5:
                legal = [action for action in legal if seen[player, action] == least]
            action = rng.choice(legal)
            seen[player, action] += 1
        line.states.append(state.clone())
        line.moves.append((player, action))
        state.apply_action(action)
    return line


def positions(
    lines: list[Line], seats: int, seen: Counter[Move], rng: random.Random
) -> list[tuple[Line, int, int]]:
    """Decisions of some games, each with a seat; every other one follows a move that is chosen seldom."""
    some = [
        (line, k, seat)
        for line in lines
        for k, (player, _) in enumerate(line.moves)
        for seat in range(seats)
        if player >= 0
    ]
    rng.shuffle(some)

    def times(position: tuple[Line, int, int]) -> int:
        line, k, _ = position
        return min(seen[move] for move in line.moves[max(0, k - NEAR) : k + 1] if move[0] >= 0)

    order = [position for pair in zip(sorted(some, key=times), some, strict=True) for position in pair]
    wanted = POSITIONS * len(lines)
    return list({(id(line), k, seat): (line, k, seat) for line, k, seat in order}.values())[:wanted]


def actions_of(state: Any) -> list[int]:
    """The legal moves; at a chance node the outcomes that can happen."""
    if state.is_chance_node():
        return [outcome for outcome, probability in state.chance_outcomes() if probability > 0]
    return list(state.legal_actions())


class Seats:
    """What a seat of a game sees: the text that defines twins, and the views that must be equal in them."""

    def __init__(self, game: Any) -> None:
        """Find out which views the game provides."""
        import pyspiel

        kind = game.get_type()
        self.recall = kind.provides_information_state_string
        self.word = "information state string" if self.recall else "history of observation strings"
        self.key: View = lambda s, p: s.information_state_string(p)
        if not self.recall:
            self.key = lambda s, p: s.observation_string(p)
            if not kind.provides_observation_string:
                self.key = lambda s, p: tuple(s.observation_tensor(p))
        self.views: dict[str, View] = {
            "observation struct": lambda s, p: s.to_observation_struct(p).to_json(),
            "returns so far": lambda s, p: [s.player_return(p), s.player_reward(p)],
            "legal actions": lambda s, p: [] if s.current_player() != p else s.legal_actions(p),
            "legal actions mask": lambda s, p: s.current_player() == p and s.legal_actions_mask(p),
            "action strings": lambda s, p: (
                s.current_player() == p and [s.action_to_string(p, a) for a in s.legal_actions()]
            ),
        }
        if kind.provides_information_state_tensor:
            self.views["information state tensor"] = lambda s, p: np.asarray(s.information_state_tensor(p))
        if kind.provides_observation_tensor:
            self.views["observation tensor"] = lambda s, p: np.asarray(s.observation_tensor(p))
        if kind.provides_observation_string:
            self.views["observation string"] = lambda s, p: s.observation_string(p)
        for recall in (False, True):
            for private in (pyspiel.PrivateInfoType.SINGLE_PLAYER, pyspiel.PrivateInfoType.NONE):
                wanted = pyspiel.IIGObservationType(perfect_recall=recall, private_info=private)
                whose = "own" if private == pyspiel.PrivateInfoType.SINGLE_PLAYER else "public only"
                name = f"observer ({'perfect recall' if recall else 'now'}, {whose})"
                self._add_observer(game, name, wanted)

    def _add_observer(self, game: Any, name: str, wanted: Any) -> None:
        from open_spiel.python.observation import make_observation

        try:
            observer = make_observation(game, wanted)
        except (RuntimeError, ValueError):
            return
        if observer is None:
            return

        def look(state: Any, player: int) -> Any:
            observer.set_from(state, player)
            seen = {piece: np.array(values) for piece, values in observer.dict.items()}
            packed = observer.compress() if seen and hasattr(observer, "compress") else b""
            return {**seen, "text": observer.string_from(state, player), "serialized": packed}

        self.views[name] = look

    def keep_provided(self, state: Any, report: Report) -> None:
        """Drop the views that the game does not provide: those that fail at its first decision."""
        for name, view in list(self.views.items()):
            try:
                view(state, max(state.current_player(), 0))
            except Exception as error:
                del self.views[name]
                if not name.startswith("observer"):
                    report.note(f"{name}: {first_line(error)}")


def look(view: View, state: Any, seat: int) -> Any:
    """A view, or the error that it raises."""
    try:
        return view(state, seat)
    except Exception as error:
        return f"raises {first_line(error)}"


def make_twin(line: Line, k: int, seat: int, seats: Seats, rng: random.Random) -> tuple[Any, bool] | None:
    """Another state that the seat cannot tell from the line's state before move `k`.

    Returns:
        The state, and whether the seat could not tell them apart at its earlier decisions either; or None.
    """
    hidden = [i for i in range(k) if line.moves[i][0] != seat]
    if not hidden:
        return None
    plan: list[int | None] = [action for _, action in line.moves[:k]]
    first = rng.choice(hidden)
    other = [j for j in hidden if line.moves[j][0] == line.moves[first][0] and plan[j] != plan[first]]
    if other and rng.random() < 0.7:
        second = rng.choice(other)
        plan[first], plan[second] = plan[second], plan[first]
        first = min(first, second)
    else:
        plan[first] = None
    state = line.states[first].clone()
    always = True
    for n in range(first, k):
        player, was = line.moves[n]
        if state.is_terminal() or state.current_player() != player:
            return None
        if player == seat or (player >= 0 and not seats.recall):
            always = always and seats.key(state, seat) == line.key(seats, n, seat)
            if not always and not seats.recall:
                return None
        legal = actions_of(state)
        action = plan[n]
        if action is None or action not in legal:
            legal = [a for a in legal if n > first or a != was]
            if player == seat or not legal:
                return None
            action = rng.choice(legal)
        state.apply_action(action)
    if state.is_terminal() or state.is_chance_node():
        return None
    return (state, always) if seats.key(state, seat) == line.key(seats, k, seat) else None


def words(game: Any, history: list[int]) -> list[str]:
    """The moves of a game as text."""
    state, out = game.new_initial_state(), []
    for action in history:
        player = state.current_player()
        out.append(f"{'chance' if player < 0 else f'p{player}'} {state.action_to_string(player, action)}")
        state.apply_action(action)
    return out


def check_openspiel(
    game: Any, *, games: int = 20, players: int | None = None, seed: int = 0, seconds: float = 60.0
) -> Report:
    """Look for leaks in a sequential OpenSpiel game with explicit chance.

    Args:
        game: its name, or a `pyspiel.Game`.
        games: random games to play.
        players: number of players, for games that have this parameter.
        seed: seed of all random choices.
        seconds: time after which no new position is looked at.

    Raises:
        SetupError: the game cannot be tested.
    """
    game = load(game, players) if isinstance(game, str) else game
    report = Report(f"openspiel:{game}")
    rng, until = random.Random(seed), monotonic() + seconds
    seats, seen, resamples = Seats(game), Counter[Move](), None
    lines: list[Line] = []
    for start in range(0, games, ROUND):
        earlier, lines = lines, []
        while len(lines) < min(ROUND, games - start) and monotonic() < until:
            lines.append(random_line(game, rng, seen, earlier + lines))
            report.count("games")
        for line, k, seat in positions(lines, game.num_players(), seen, rng):
            if monotonic() > until:
                report.note(f"the rest of the games: {seconds:g} seconds were over")
                return report
            if resamples is None:
                seats.keep_provided(line.states[k], report)
                resamples = _resamples(line.states[k], seat, report)
            _check_position(game, seats, line, k, seat, resamples, rng, report)
    if resamples and seats.recall:
        _check_distribution(game, seats, rng, until, report)
    return report


def _check_position(
    game: Any, seats: Seats, line: Line, k: int, seat: int, resamples: bool, rng: random.Random, report: Report
) -> None:
    state, other = line.states[k], None
    report.count("positions")
    for _ in range(TRIES):
        made = make_twin(line, k, seat, seats, rng)
        if made is not None:
            report.count("twins")
            _compare(game, seats, seat, state, made, report)
            other = made[0] if made[1] and str(made[0]) != str(state) else other
    if resamples:
        _check_resample(game, seats, seat, state, other, rng, report)


def _compare(game: Any, seats: Seats, seat: int, state: Any, twin: tuple[Any, bool], report: Report) -> None:
    other, always = twin
    history = list(state.history())

    def example() -> tuple[list[str], list[str]]:
        return words(game, history), words(game, list(other.history()))

    def compare(check: str, what: str, left: Any, right: Any) -> bool:
        return report.compare(check, f"{what} (seat {seat})", (left, right), len(history), example)

    if seats.recall:
        what = "the information state string is equal now, but differed at an earlier decision of the seat"
        if not compare("perfect recall", what, True, always):
            return
    turns = state.current_player(), other.current_player()
    compare("player to act", f"it differs, the {seats.word} does not", *turns)
    for name, view in seats.views.items():
        if turns[0] == turns[1] or not name.startswith(("legal", "action")):
            what = f"it differs, the {seats.word} does not"
            compare(name, what, look(view, state, seat), look(view, other, seat))


def _resamples(state: Any, seat: int, report: Report) -> bool:
    try:
        state.resample_from_infostate(seat, random.Random(0).random)
    except Exception as error:
        report.note(f"resample_from_infostate: {first_line(error)}")
        return False
    return True


def _check_resample(
    game: Any, seats: Seats, seat: int, state: Any, other: Any, rng: random.Random, report: Report
) -> None:
    """Check that a resampled state looks the same to the seat, and is not always the true one."""
    history = list(state.history())

    def example() -> tuple[list[str], list[str]]:
        moves = words(game, history)
        return moves, moves

    def view(of: Any) -> dict[str, Any]:
        seen = {name: look(look_at, of, seat) for name, look_at in seats.views.items() if "tensor" in name}
        return {"key": look(seats.key, of, seat), "player to act": of.current_player(), **seen}

    try:
        drawn = state.resample_from_infostate(seat, rng.random)
    except Exception as error:
        drawn, failed = state, f"raises {first_line(error)}"
    else:
        failed = "returns a state"
    what = f"it fails (seat {seat})"
    if not report.compare("resample: works", what, ("returns a state", failed), len(history), example):
        return
    what = f"the resampled state looks different to seat {seat}"
    report.compare("resample: same view", what, (view(state), view(drawn)), len(history), example)
    if other is None:
        return
    truth = str(state)
    draws = (state.resample_from_infostate(seat, rng.random) for _ in range(TRUTHS))
    always = str(drawn) == truth and all(str(draw) == truth for draw in draws)
    what = f"{TRUTHS} draws all returned the true state (left), though seat {seat} cannot exclude another (right)"
    views = (truth, str(other)) if always else ("", "")
    report.compare(
        "resample: not the truth",
        what,
        views,
        len(history),
        lambda: (words(game, history), words(game, list(other.history()))),
    )


def _walk(state: Any, probability: float, left: list[int]) -> Iterator[tuple[Any, float]]:
    """Every decision of a game, with the probability of its chance outcomes; stops if `left` runs out."""
    left[0] -= 1
    if left[0] < 0 or state.is_terminal():
        return
    if not state.is_chance_node():
        yield state, probability
    outcomes = state.chance_outcomes() if state.is_chance_node() else [(a, 1.0) for a in state.legal_actions()]
    for action, chance in outcomes:
        yield from _walk(state.child(action), probability * chance, left)


def _check_distribution(game: Any, seats: Seats, rng: random.Random, until: float, report: Report) -> None:
    """Compare resampled states with the exact distribution, where only chance is hidden and the game is small."""
    left = [TREE]
    groups: dict[tuple[int, str], list[tuple[Any, float, tuple[int, ...]]]] = {}
    for state, probability in _walk(game.new_initial_state(), 1.0, left):
        seat = state.current_player()
        chosen = tuple(move.action for move in state.full_history() if move.player >= 0)
        groups.setdefault((seat, seats.key(state, seat)), []).append((state, probability, chosen))
    if left[0] < 0:
        report.note(f"resample: distribution: the game has more than {TREE:,} nodes")
        return
    several = [item for item in groups.items() if len({str(world[0]) for world in item[1]}) > 1]
    several = [item for item in several if len({world[2] for world in item[1]}) == 1]
    for (seat, _), worlds in rng.sample(several, min(20, len(several))):
        if monotonic() > until:
            return
        expected: dict[str, float] = {}
        for state, probability, _chosen in worlds:
            expected[str(state)] = expected.get(str(state), 0.0) + probability
        total = sum(expected.values())
        state = worlds[0][0]
        draws = min(DRAWS, round(20 * total / min(expected.values())))
        drawn = dict.fromkeys(expected, 0)
        for _ in range(draws):
            world = str(state.resample_from_infostate(seat, rng.random))
            drawn[world] = drawn.get(world, 0) + 1
        right = {world: f"{expected.get(world, 0.0) / total:.3f}" for world in drawn}
        got = {world: f"{n / draws:.3f}" for world, n in drawn.items()}
        moves = words(game, list(state.history()))
        what = f"frequencies of {draws:,} draws (right) are not the probabilities (left), seat {seat}"
        views = (right, got) if _too_far(expected, total, drawn, draws) else (0, 0)
        check = "resample: distribution"
        report.compare(check, what, views, len(moves), lambda moves=moves: (moves, moves))  # type: ignore[misc]


def _too_far(expected: dict[str, float], total: float, drawn: dict[str, int], draws: int) -> bool:
    if len(drawn) > len(expected):
        return True
    square = sum((drawn[w] - draws * p / total) ** 2 / (draws * p / total) for w, p in expected.items())
    k = len(expected) - 1
    return bool(((square / k) ** (1 / 3) - (1 - 2 / (9 * k))) / (2 / (9 * k)) ** 0.5 > WORST)
