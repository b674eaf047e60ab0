"""Checks what seats know in many positions: information-state keys, observations, worlds and decision keys.

A world is a state that `determinize` samples for a seat; twins are two positions in which a seat has
the same key.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import combinations
from time import monotonic

import numpy as np

from spacemission_env.core.game import Game
from spacemission_env.testing.batch_functions import position_problem
from spacemission_env.testing.sample import Line, Lines, Sample, where
from spacemission_env.testing.words import check_results

ROUND, PLACES = 4, 10  # games that are played before their positions are checked; positions per game
SIBLINGS = 8  # moves tried in a position, each also with another chance outcome
TRIES, DEAL_TRIES = 4, 24  # attempts to make a twin of a position, and of a deal in the first games
ENOUGH = 200, 400, 2_000  # games and twins after which to stop; games after which to stop anyway
WORLDS, TRUTHS = 6, 100  # worlds sampled for each seat of a position; worlds that must not all be equal
STUCK = 25  # number of positions in which determinize may by chance leave a hidden field as it is
DEALS, MOVES = 2_000, 8  # games that are each compared with one world; most random moves in them
PAIRS = 20  # if at most this many columns of the keys vary, pairs of columns are compared too
WORST = 6.0  # a chi-square this many standard deviations high (Wilson and Hilferty) is not chance
SAME = 20  # games that must not all end with equal scores; pairs whose decision keys must not all be equal
LOSSY = 0.02  # share of views that may be equal although the keys differ
RANDOM = ("seed", "rng", "salt")  # fields that are not knowledge


class Knowledge:
    """The checks for one number of players; `counts`: how much was compared; `short`: what was not tried."""

    def __init__(self, template: Game, seed: int, counts: Counter[str]) -> None:
        self.template, self.spec, self.players = template, template.spec, template.num_players
        self.lines, self.seed, self.counts = Lines(template, seed), seed, counts
        self.names = [name for name in self.spec.state.names or () if name not in RANDOM]
        self.twin_count, self.short = 0, ""
        self.keys: dict[object, tuple[bytes, str]] = {}
        self.views: dict[object, tuple[bytes, str]] = {}
        self.secret_moves = False  # whether turns or legal moves ever depend on what a seat cannot see
        self.alike: list[str] = []  # views that are equal although their keys differ
        self.decisions: dict[bytes, dict[int, int]] = defaultdict(dict)
        self.fields: dict[object, Counter[bool]] = defaultdict(Counter)
        self.ends: list[np.ndarray] = []

    def run(self, games: int | None, seconds: float, done: Callable[[float], None]) -> Iterator[str]:
        """Play and compare until enough was compared or time is over; then check all games together."""
        yield from self.look(self.lines.play(), 1)  # compiles the functions before the time is taken
        begun = last = monotonic()
        least, twins, most = ENOUGH
        while len(self.ends) < (games or (least if self.twin_count >= twins else most)):
            lines = [self.lines.play() for _ in range(min(ROUND, games or ROUND))]
            for line in lines:
                yield from self.line(line)
            dealt = [(line, 1) for line in lines]
            for line, k in dealt + self.lines.positions(lines, PLACES * len(lines)):
                yield from self.look(line, k)
                done(monotonic() - last)
                last = monotonic()
                if last - begun > seconds:
                    break
            if last - begun > seconds:
                enough = f"enough: {games} games" if games else f"enough: {least} games, {twins} twins"
                self.short = f"{seconds:g} seconds were over after {len(self.ends)} games ({enough})"
                break
        if self.lines.blind:
            self.short += "; " * bool(self.short) + f"other draws: {self.lines.blind}"
        if not self.twin_count:
            self.short += "; " * bool(self.short) + "twins: none was made, so nothing seems to be hidden"
        yield from self.whole()

    # ------------------------------------------------------------ one game

    def line(self, line: Line) -> Iterator[str]:
        """Check that the decision keys of a game differ, and check its end."""
        met: dict[int, int] = {}
        for k in range(1, len(line.states) - 1):
            states = line.states[k]
            game, seat = self.lines.at(states), int(states["player"][0])
            key = game.decision_key()
            if key in met:
                yield f"{where(self.players, states)}: the decision key is the same as after {met[key]}"
            met[key] = int(states["decisions"][0])
            self.decisions[bytes([seat]) + self.lines.key(states, seat)].setdefault(game.seed, key)
        end = line.states[-1]
        self.ends.append(end)
        self.counts["games"] += 1
        here, game = where(self.players, end), self.lines.at(end)
        limits = self.spec.limits(game.rules, self.players)
        if int(end["decisions"][0]) > limits.decisions:
            yield f"{here}: limits: expected at most {limits.decisions} decisions"
        if (size := max(max(move.sizes, default=0) for move in line.moves)) > limits.outcomes:
            yield f"{here}: limits: expected at most {limits.outcomes} outcomes of a draw, not {size}"
        for name in self.spec.reward_names:
            paid, (low, high) = game.rewards(name), limits.bounds(name)
            if abs(paid.sum()) > 1e-6 and name in limits.zero_sum:
                yield f"{here}: reward {name!r}: expected a sum of 0, not {paid.tolist()}"
            if paid.min() < low or paid.max() > high:
                yield f"{here}: limits: reward {name!r}: expected {low} to {high}, not {paid.tolist()}"
        other = end.copy()
        other["rng"], other["seed"] = other["rng"][:, ::-1], other["seed"] ^ 1
        if (self.lines.at(other).scores() != game.scores()).any():
            yield f"{here}: score: depends on random numbers"

    # ------------------------------------------------------------ one position

    def look(self, line: Line, k: int) -> Iterator[str]:
        """Compare a position with its worlds, its siblings and its twins."""
        states = line.states[k]
        self.counts["positions"] += 1
        yield from self.met(states)
        yield from self.siblings(states)
        for seat in range(self.players):
            yield from self.worlds(states, seat)
            for _ in range(DEAL_TRIES if k == 1 and len(self.ends) <= 2 * ROUND else TRIES):
                made, same = self.lines.twin(line, k, seat)
                for other in made[-1:]:
                    yield from self.met(other)
                if same and _bare(made[-1]) != _bare(states):
                    self.counts["twins"] += 1
                    self.twin_count += 1
                    yield from self.twins(states, made[-1], seat)

    def siblings(self, states: np.ndarray) -> Iterator[str]:
        """Check a position, and compare those after some of its moves, each move with two chance outcomes.

        Such positions differ little, so a view or a key that leaves something out is found.
        """
        game = self.lines.at(states)
        if game.over:
            return
        problem = position_problem(self.spec, self.template.parameters, states)
        if problem:
            yield f"{where(self.players, states)}: {problem}"
        for action in self.lines.rng.permutation(self.lines.legal(states))[:SIBLINGS].tolist():
            move, after = self.lines.move(game, -1, action)
            yield from self.met(after)
            if move.tape:
                yield from self.met(self.lines.other(states, move))

    def met(self, states: np.ndarray) -> Iterator[str]:
        """Compare a position with all earlier ones: equal keys must mean equal views.

        Equal views need not always mean equal keys: an observation may have a mean in place of a detail.
        """
        over = states["over"].tobytes()
        for seat in range(self.players):
            self.counts["views"] += 1
            view, table = self._view(states, seat)
            views = _digest(view + table + over), where(self.players, states)
            key = _digest(self.lines.key(states, seat)), views[1]
            old = self.keys.setdefault((seat, key[0]), views)
            if old[0] != views[0]:
                yield f"write_key: seat {seat} has equal keys, but sees something else: {old[1]}; {views[1]}"
            old = self.views.setdefault((seat, views[0]), key)
            if old[0] != key[0]:
                self.alike.append(
                    f"observe: seat {seat} sees the same, but its keys differ: {old[1]}; {key[1]}"
                )

    def _view(self, states: np.ndarray, seat: int) -> tuple[bytes, bytes]:
        """Observation and mask with perfect recall, and the observation in the mode "table"."""
        seen = []
        for recall in (1, 0):
            observation = np.empty(self.spec.observation_size, np.float32)
            mask = np.empty(self.spec.action_count, np.int8)
            self.spec.batch.view_one(states, 0, self.template.parameters, seat, recall, observation, mask)
            seen.append(observation.tobytes() + mask.tobytes() * recall)
        return seen[0], seen[1]

    def known(self, states: np.ndarray, seat: int, words: bool) -> dict[str, object]:
        """What a seat is given, by name; `words`: also the board and the JSON view."""
        game, (view, table) = self.lines.at(states), self._view(states, seat)
        known: dict[str, object] = {
            "key": self.lines.key(states, seat), "observation or mask": view, "table observation": table,
            "decision key": game.decision_key() if game.player == seat else None,
        }  # fmt: skip
        return known | {"board": game.board(seat), "seat_json": game.seat_json(seat)} if words else known

    def worlds(self, states: np.ndarray, seat: int) -> Iterator[str]:
        """Check that a seat's worlds look the same to it, and do not depend on secrets."""
        game, here = self.lines.at(states), f"{where(self.players, states)}, seat {seat}"
        drawn, known = game.determinize(seat, self.seed + WORLDS).states, self.known(states, seat, True)
        for number in range(WORLDS):
            world = game.determinize(seat, self.seed + number)
            self.counts["worlds"] += 1
            words = number == 0
            for what, value in self.known(world.states, seat, words).items():
                if known[what] != value and not (game.over and what in ("board", "seat_json")):
                    yield f"{here}: its {what} differs in a world drawn by determinize"
            if not game.over and (world.player != game.player or (world.mask() != game.mask()).any()):
                self.secret_moves = True
            if world.determinize(seat, self.seed + WORLDS).states.tobytes() != drawn.tobytes():
                yield f"{here}: determinize depends on hidden things: a seed gives different worlds"

    def twins(self, states: np.ndarray, twin: np.ndarray, seat: int) -> Iterator[str]:
        """Compare two positions that a seat cannot tell apart, and the worlds sampled from them."""
        here = f"{where(self.players, states)}, seat {seat}"
        game, other = self.lines.at(states), self.lines.at(twin)
        if not (game.over or other.over):
            ours, theirs = (self.known(one, seat, True) for one in (states, twin))
            for what, value in ours.items():
                if theirs[what] != value:
                    yield f"{here}: its {what} depends on what it cannot know (by its keys)"
        one, two = (one.determinize(seat, self.seed).states for one in (game, other))
        if one.tobytes() != two.tobytes():
            yield f"{here}: determinize depends on hidden things: equal keys and a seed give different worlds"
        worlds = [game.determinize(seat, self.seed + n).states for n in range(WORLDS)]
        if len({_bare(world) for world in worlds}) == 1:
            more = (game.determinize(seat, self.seed + WORLDS + n).states for n in range(TRUTHS))
            if all(_bare(world) == _bare(one) for world in more):
                yield f"{here}: determinize: {TRUTHS} worlds were the same, though others are possible"
        for name in self.names:
            differ = np.atleast_1d(states[name][0] != twin[name][0]).ravel()
            if differ.any():
                drawn = np.stack([np.atleast_1d(world[name][0]).ravel() for world in worlds])
                varies = (drawn != drawn[0]).any(0)
                self.fields[name][bool(varies[differ].any())] += 1
                for place in np.flatnonzero(differ).tolist():
                    self.fields[name, place, seat][bool(varies[place])] += 1

    # ------------------------------------------------------------ all games

    def whole(self) -> Iterator[str]:
        """Check what only many games show: that things that should differ do not always agree."""
        for what, times in self.fields.items():
            if not times[True] and times[False] >= STUCK:
                name = what if isinstance(what, str) else f"{what[0]}[{what[1]}] of seat {what[2]}"  # type: ignore[index]
                yield f"{self.players} players: determinize never changes {name}, though it is hidden"
                break
        same = [keys for keys in self.decisions.values() if len(keys) > 1]
        if sum(len(keys) - 1 for keys in same) >= SAME and all(len(set(keys.values())) == 1 for keys in same):
            yield f"{self.players} players: the decision key of a position is that of every game: use `salt`"
        while len(self.ends) < SAME:
            self.ends.append(self._begun(-1, end=True).states)
        if (
            len(
                {
                    self.lines.at(end).scores()[seat].tobytes()
                    for end in self.ends
                    for seat in range(self.players)
                }
            )
            == 1
        ):
            yield f"{self.players} players: score: all seats have the same after {len(self.ends)} games"
        if len(self.alike) > LOSSY * len(self.views):
            yield self.alike[0]
        yield from check_results(Sample(self.spec, self.template, np.concatenate(self.ends)))
        yield from self.evenly(0)
        if not self.secret_moves:
            yield from self.evenly(MOVES)

    def evenly(self, most: int) -> Iterator[str]:
        """Compare what other seats know in many games with what they know in a world sampled for each game.

        Each game has at most `most` random moves. The two distributions agree if all worlds are equally
        likely and moves tell nothing about what is hidden.
        """
        rng, size = self.lines.rng, self.spec.key_size
        games = [self._begun(int(rng.integers(most + 1))) for _ in range(DEALS)]
        for seat in range(self.players):
            worlds = [game.determinize(seat, int(rng.integers(2**62))).states for game in games]
            for other in set(range(self.players)) - {seat}:
                true, drawn = (
                    np.frombuffer(b"".join(self.lines.key(one, other) for one in some), np.int32)
                    for some in ([game.states for game in games], worlds)
                )
                if _far_apart(true.reshape(DEALS, size), drawn.reshape(DEALS, size)):
                    here = f"{self.players} players, seat {seat}: determinize: in {DEALS} games"
                    yield f"{here} the keys of seat {other} are distributed otherwise than in a world of each"
                    return

    def _begun(self, moves: int, end: bool = False) -> Game:
        """A game after `moves` random moves; if it ends earlier, its last position before the end, or (`end`)
        the end.
        """
        game = before = self.template.clone()
        game.reset(int(self.lines.rng.integers(2**62)))
        while moves and not game.over:
            moves, before = moves - 1, game if end else game.clone()
            game.step(int(self.lines.rng.choice(self.lines.legal(game.states))))
        return before if game.over else game


def _bare(states: np.ndarray) -> bytes:
    """A state without its random numbers."""
    bare = states.copy()
    for name in RANDOM:
        bare[name] = 0
    return bytes(bare.tobytes())


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=12).digest()


def _far_apart(true: np.ndarray, drawn: np.ndarray) -> bool:
    """Whether two samples of rows differ in distribution, by column and, if few vary, by column pair."""
    columns = np.flatnonzero((np.concatenate([true, drawn]) != true[0]).any(0))
    pairs = combinations(columns, 2) if len(columns) <= PAIRS else ()
    for some in [*((column,) for column in columns), *pairs]:
        _, codes = np.unique(np.concatenate([true, drawn])[:, some], axis=0, return_inverse=True)
        counts = [np.bincount(part, minlength=codes.max() + 1) for part in np.split(codes.ravel(), 2)]
        rare = counts[0] + counts[1] < 10  # all rare values count as one value
        counts = [np.append(count[~rare], count[rare].sum()) for count in counts]
        total = counts[0] + counts[1]
        k = int((total > 0).sum()) - 1
        square = ((counts[0] - counts[1]) ** 2 / np.maximum(total, 1)).sum() / max(k, 1)
        if k and (square ** (1 / 3) - (1 - 2 / (9 * k))) / (2 / (9 * k)) ** 0.5 > WORST:
            return True
    return False
