"""Evaluates moves by the values of their afterstates, in compiled code for any game.

An afterstate (Sutton and Barto 2018, section 6.8) is the position after a move, before anybody else acts, as
the seat that moved knows it. This position may depend on chance or on hidden pieces. So by default each move
is made in several determinizations, called worlds below, and its value is the mean over them; all moves of a
decision are made in the same worlds. A game may stop a move before something is revealed (`begin_move`); then
one world is enough. A game may say that a position is not settled, because the seat has more to decide about
its move (`is_settled`). A value network then judges the positions that the seat can still reach, and the best
of them counts, as in the quiescence search of chess programs.

The functions below are a template, as in core/batch_template.py; `bind_afterstates` binds them to a game.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.afterstates import network
from spacemission_agents.afterstates.network import (
    GROUP,
    Features,
    Network,
    begin_sums,
    read_move,
    share_of,
    write_logits,
)
from spacemission_agents.game_agents import find_game_agents
from spacemission_agents.models import layers
from spacemission_agents.models.layers import draw, most_probable
from spacemission_env.core.agents import Decisions
from spacemission_env.core.batch_template import with_globals
from spacemission_env.core.compiling import Njit, make_njit
from spacemission_env.core.constants import FINISHED, RUNNING
from spacemission_env.core.errors import SetupError
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.layout import Piece
from spacemission_env.core.rng import hash63

TEMPERATURE = 0.02  # the gain in the share of the win that makes a move e times as probable
WORLD_STREAM = 0xAF7E  # random number stream for the seeds of determinizations
SURE = 1e-6  # mean shares over worlds are clipped to the range from SURE to 1 - SURE
DEFAULT_WORLDS = 4
DEPTH = 2  # maximum number of further decisions of the seat that are searched after a move


def _unbound(*_: object) -> Any:
    raise NotImplementedError("of the game")


# Names that `bind_afterstates` binds to a game, as in core/batch_template.py.
apply = write_mask = observe_compact = determinize = decision_key = score = rank_number = _unbound
rewards = _unbound
ACTIONS = WORLDS = 1
ONLY_FINISHED_WINS = False
SOURCES = np.zeros(0, np.int64)


class Scratch(NamedTuple):
    """Scratch memory of a decision, for one thread."""

    tried: np.ndarray  # the game in which a move is tried, (1,)
    worlds: np.ndarray  # determinizations, (WORLDS,)
    seen: np.ndarray  # a compact observation, (1,)
    means: np.ndarray  # scratch of `observe_compact`, (1,)
    facts: Any  # scratch memory that the game's `write_features` needs
    ratings: Any  # scratch of `rate_moves`
    mask: np.ndarray  # int8 (actions,)
    actions: np.ndarray  # the legal moves, int64 (actions,)
    logits: np.ndarray  # logit of each move: of its share of the win, or of a policy; float64 (actions,)
    scores: np.ndarray  # scores of a finished game, int64 (seats, categories)
    shares: np.ndarray  # shares of the seats in a finished game, float64 (seats,)
    owners: np.ndarray  # index of the move of each row of features, int64 (actions * WORLDS,)
    row_logits: np.ndarray  # logit of each row of features, float64 (actions * WORLDS,)
    counts: np.ndarray  # in how many worlds each move was made, int64 (actions,)
    unsettled: np.ndarray  # move and world of each unsettled position, int64 (actions * WORLDS, 2)
    positions: np.ndarray  # positions after further decisions, (DEPTH,)
    masks: np.ndarray  # masks of these further decisions, int8 (DEPTH, actions)
    moves: np.ndarray  # legal moves of these decisions, int64 (DEPTH, actions)


class Evaluator(NamedTuple):
    """A network with scratch memory, for one thread."""

    net: Network
    scratch: Scratch


# ---------------------------------------------------------------- what a game may replace


def begin_move(s, t, action):
    """Make a legal move up to its afterstate; return a code of its pending part, or 0. Default: `apply`."""
    apply(s, t, action)
    return 0


def write_features(s, t, seat, pending, scratch, x):
    """Write the features of an afterstate into x, uint8 (size,), as the seat that moved knows it.

    `scratch` is a `Scratch`. Default: the features are the compact observation.
    """
    observe_compact(s, t, seat, 1, scratch.seen[0], scratch.means)
    numbers = scratch.seen[0].numbers
    for i in range(len(SOURCES)):
        x[i] = numbers[SOURCES[i]] if SOURCES[i] >= 0 else 0


def rate_moves(s, t, ratings):
    """Rate all legal moves into `ratings`. Default: nothing."""


def write_rating(action, ratings, x):
    """Write the rating of a move into x, uint8 (rating features,). Default: nothing."""


def write_more_targets(s, t, scores, targets):
    """Write each seat's auxiliary targets at the end of a game from column 1 on. Default: nothing."""


def is_certain(before, after):
    """Whether a move depended on neither chance nor hidden pieces, so one world is enough. Default: False."""
    return False


def is_settled(s, t, seat):
    """Whether the seat has nothing more to decide about its move: the position can be judged. Default: yes.

    A game whose decisions have only one world cannot replace this function.
    """
    return True


def potential(s, t, seat):
    """A seat's progress, 0 to 1; a gamma below 1 moves training targets towards it. Default: 1 / players."""
    return 1.0 / s.num_players


def write_standing(s, t, seat, reads_ratings, scratch, x):
    """Write the features of a position for any seat, as if that seat's last move had led to it.

    Default: the features of an afterstate, without ratings.
    """
    write_features(s, t, seat, 0, scratch, x)


def edge_key(s, action, own):
    """The number of a move in a search, int64: equal for moves that look alike to the searching seat.

    `own`: whether the searching seat is to move. Default: the action.
    """
    return np.int64(action)


def prune_moves(s, mask):
    """Remove moves from the mask of a decision in a rollout, to save time. Default: remove none."""


OPTIONAL: tuple[Any, ...] = (
    *(begin_move, write_features, rate_moves, write_rating, write_more_targets),
    *(is_certain, is_settled, potential, write_standing, edge_key, prune_moves),
)

# ---------------------------------------------------------------- for every game


def win_shares(s, t, scores, out):
    """Write each seat's share of the win at a game's end, float64 (seats,); equal if there is no winner."""
    n = int(s.num_players)
    score(s, t, scores)
    best = rank_number(scores, 0)
    for j in range(1, n):
        best = max(best, rank_number(scores, j))
    nobody = ONLY_FINISHED_WINS and s.over != FINISHED
    winners = 0
    for j in range(n):
        winners += nobody or rank_number(scores, j) == best
    for j in range(n):
        out[j] = 1.0 / winners if nobody or rank_number(scores, j) == best else 0.0


def reward_shares(s, t, reward, scores, out):
    """Write each seat's share of the win, or of another reward, at the end of a game, float64 (seats,).

    `reward`: see `network.WIN`. Another reward is scaled: its lowest value becomes 0, its highest 1.
    """
    if reward[0] < 0:
        win_shares(s, t, scores, out)
        return
    score(s, t, scores)
    rewards(scores, int(s.num_players), int(reward[0]), out)
    for j in range(int(s.num_players)):
        out[j] = (out[j] - reward[1]) / (reward[2] - reward[1])


def write_outcome(s, t, reward, scores, targets):
    """Write each seat's targets at the end of a game, float64 (seats, outputs)."""
    reward_shares(s, t, reward, scores, targets[:, 0])
    write_more_targets(s, t, scores, targets)


def evaluate_moves(s, t, mask, net, scratch):
    """Evaluate the legal moves and write them with their logits into `scratch`; return their number.

    `s`: the game, or any determinization for the seat to act. If a decision of the game has only one world,
    `net.features` gets the features of the afterstates.
    """
    return evaluate_in_worlds(s, t, mask, WORLDS, net, scratch)


def evaluate_in_worlds(s, t, mask, worlds, net, scratch):
    """Do the same as `evaluate_moves` in `worlds` determinizations, at most WORLDS; for 1 in `s` itself."""
    if net.reads_ratings:
        rate_moves(s, t, scratch.ratings)
    count = list_moves(mask, scratch.actions)
    mean_over_worlds(s, t, count, worlds, net, scratch)
    return count


def list_moves(mask, actions):
    """Write the legal moves into `actions`; return their number."""
    count = 0
    for action in range(ACTIONS):
        if mask[action]:
            actions[count] = action
            count += 1
    return count


def evaluate_in(world, t, count, net, scratch):
    """Write the logits of the first `count` moves, made in `world`; `net.features` gets their features."""
    for i in range(count):
        scratch.tried[0] = world
        pending = begin_move(scratch.tried[0], t, scratch.actions[i])
        write_move(scratch.tried[0], t, int(world.player), pending, scratch.actions[i], net, scratch, i)
    write_logits(net, count, scratch.logits)


def write_afterstate(s, t, seat, pending, action, reads_ratings, scratch, x):
    """Write the features of an afterstate, with the rating of the move for a network that reads it."""
    write_features(s, t, seat, pending, scratch, x)
    if reads_ratings:
        write_rating(action, scratch.ratings, x[RATINGS:])


def write_move(s, t, seat, pending, action, net, scratch, row):
    """Write the features of an afterstate, and the second layer's input from them."""
    x = net.features[row]
    write_afterstate(s, t, seat, pending, action, net.reads_ratings, scratch, x)
    if row == 0:
        begin_sums(net, x)
    read_move(net, row)


def mean_of_one(s, t, count, worlds, net, scratch):
    """Do the same as `mean_over_worlds` for a game whose moves stop before anything is revealed."""
    evaluate_in(s, t, count, net, scratch)


def mean_over_worlds(s, t, count, worlds, net, scratch):
    """Write the mean share of each of the first `count` moves over the same worlds, as a logit.

    For a policy, write the mean of its logits instead. `worlds`: number of worlds, at most WORLDS; if it is
    1, the world is `s` itself. A move that is certain (`is_certain`), or has equal features in the first two
    worlds, is not made in further worlds.
    """
    seat, rows, behind = int(s.player), 0, 0
    key, logits, counts = decision_key(s), scratch.logits, scratch.counts
    if worlds == 1:
        scratch.worlds[0] = s
    else:
        for k in range(worlds):
            determinize(s, t, seat, hash63(key, k, WORLD_STREAM), scratch.worlds[k : k + 1])
    for i in range(count):
        logits[i], counts[i] = 0.0, 0
        for k in range(worlds):
            scratch.tried[0] = scratch.worlds[k]
            w = scratch.tried[0]
            pending = begin_move(w, t, scratch.actions[i])
            counts[i] += 1
            certain = k == 0 and is_certain(scratch.worlds[0], w)
            if w.over != RUNNING and not net.is_policy:
                reward_shares(w, t, net.reward, scratch.scores, scratch.shares)
                logits[i] += scratch.shares[seat]
            elif look_behind(w, t, seat, pending, net):
                scratch.unsettled[behind, 0], scratch.unsettled[behind, 1] = i, k
                behind += 1
            else:
                write_move(w, t, seat, pending, scratch.actions[i], net, scratch, rows)
                scratch.owners[rows] = i
                rows += 1
                if k == 1 and is_same(net, scratch, rows, i):
                    rows -= 1
                    counts[i] -= 1
                    break
            if certain:
                break
    write_logits(net, rows, scratch.row_logits)
    for row in range(rows):
        logit = scratch.row_logits[row]
        logits[scratch.owners[row]] += logit if net.is_policy else share_of(logit)
    for n in range(behind):
        i, k = scratch.unsettled[n, 0], scratch.unsettled[n, 1]
        scratch.tried[0] = scratch.worlds[k]
        begin_move(scratch.tried[0], t, scratch.actions[i])
        logits[i] += best_share(scratch.tried[0], t, seat, net, scratch, 0)
    for i in range(count):
        if net.is_policy:
            logits[i] /= counts[i]
            continue
        share = min(max(logits[i] / counts[i], SURE), 1 - SURE)
        logits[i] = np.log(share / (1 - share))


def look_behind(s, t, seat, pending, net):
    """Whether the position after a move of the seat is judged by what that seat can choose next."""
    mine = s.over == RUNNING and s.player == seat and pending == 0
    return mine and not net.is_policy and not is_settled(s, t, seat)


def best_share(s, t, seat, net, scratch, depth):
    """The share after the seat's best move in a position; `depth`: how many further decisions came before.

    Overwrites the features in `net` and the part of `scratch` that belongs to this depth and deeper ones.
    """
    w, mask, moves = scratch.positions[depth], scratch.masks[depth], scratch.moves[depth]
    write_mask(s, t, seat, mask)
    if net.reads_ratings:
        rate_moves(s, t, scratch.ratings)
    count, rows, behind, best = list_moves(mask, moves), 0, 0, 0.0
    for i in range(count):
        scratch.positions[depth] = s
        pending = begin_move(w, t, moves[i])
        if w.over != RUNNING:
            reward_shares(w, t, net.reward, scratch.scores, scratch.shares)
            best = max(best, scratch.shares[seat])
        elif depth + 1 < DEPTH and look_behind(w, t, seat, pending, net):
            moves[behind] = moves[i]
            behind += 1
        else:
            write_move(w, t, seat, pending, moves[i], net, scratch, rows)
            rows += 1
    write_logits(net, rows, scratch.row_logits)
    for row in range(rows):
        best = max(best, share_of(scratch.row_logits[row]))
    for i in range(behind):
        scratch.positions[depth] = s
        begin_move(w, t, moves[i])
        best = max(best, best_share(w, t, seat, net, scratch, depth + 1))
    return best


def is_same(net, scratch, rows, i):
    """Whether the last two rows belong to move i and are equal."""
    if rows < 2 or scratch.owners[rows - 2] != i:
        return False
    ours, before = net.features[rows - 1].view(np.uint64), net.features[rows - 2].view(np.uint64)
    for n in range(len(ours)):  # noqa: SIM110 - numba knows no all()
        if ours[n] != before[n]:
            return False
    return True


def choose_rows(worlds, masks, keys, parameters, net, scratch, sample, chosen, logits):
    """Write each row's best move, or one sampled by its key (`sample`), and logits, float32 (n, actions)."""
    for n in range(len(chosen)):
        count = evaluate_moves(worlds[n], parameters[0], masks[n], net, scratch)
        logits[n] = 0.0
        for i in range(count):
            logit = scratch.logits[i]
            logits[n, scratch.actions[i]] = logit if net.is_policy else share_of(logit) / TEMPERATURE
        chosen[n] = draw(logits[n], masks[n], keys[n]) if sample else most_probable(logits[n], masks[n])


RATINGS = 0  # first index of the ratings in the features
GENERAL: tuple[Any, ...] = (
    *(win_shares, reward_shares, write_outcome, write_afterstate, write_move, is_same, list_moves),
    *(look_behind, best_share),
    *(evaluate_in, mean_of_one, mean_over_worlds, evaluate_in_worlds, evaluate_moves, choose_rows),
)

# ---------------------------------------------------------------- binding


@dataclass(frozen=True, eq=False)
class Afterstates:
    """The features of a game's afterstates and the functions compiled for them.

    Attributes:
        spec: the game.
        name: different for each binding of the template; compiled code and its cache are named by it.
        features: sizes and scales of the features.
        worlds: number of determinizations of a decision; 1: moves stop before anything is revealed.
        names: the game's functions and those of the compiled template, by name, for use in other templates.
        njit: decorator of these functions.
        new_ratings: makes the scratch of `rate_moves`.
        new_facts: makes `Scratch.facts`.
        symmetries: maps the game's parameters to the symmetric forms of a position. Each form is an array:
            for each feature, the index of the feature that it takes its value from.
        tilt: how much a search prefers worlds that are good for the other seats. The logit of a world's
            weight is this factor times the sum of the logits of their shares; 0: equal weights.
        without_ratings: the afterstates for networks that read no ratings. Such networks need not wait until
            the game's rating of moves is compiled.
    """

    spec: GameSpec
    name: str
    features: Features
    worlds: int
    names: dict[str, Any]
    njit: Njit
    new_ratings: Callable[[], Any]
    new_facts: Callable[[], Any]
    symmetries: Callable[[np.ndarray], list[np.ndarray]]
    tilt: float
    without_ratings: Afterstates | None  # None: these afterstates themselves

    def for_network(self, reads_ratings: bool) -> Afterstates:
        """The afterstates for networks that read ratings, or for those that do not."""
        return self if reads_ratings or self.without_ratings is None else self.without_ratings

    def new_scratch(self) -> Scratch:
        """Scratch memory for one thread."""
        spec, names, actions = self.spec, self.names, self.spec.action_count
        rows = actions * self.worlds
        return Scratch(
            tried=spec.new_states(1),
            worlds=spec.new_states(self.worlds),
            seen=np.zeros(1, names["COMPACT"]),
            means=np.zeros(1, names["SCRATCH"]),
            facts=self.new_facts(),
            ratings=self.new_ratings(),
            mask=np.zeros(actions, np.int8),
            actions=np.zeros(actions, np.int64),
            logits=np.zeros(actions),
            scores=np.zeros((spec.max_players, len(spec.score_names)), np.int64),
            shares=np.zeros(spec.max_players),
            owners=np.zeros(rows, np.int64),
            row_logits=np.zeros(rows),
            counts=np.zeros(actions, np.int64),
            unsettled=np.zeros((rows, 2), np.int64),
            positions=spec.new_states(DEPTH),
            masks=np.zeros((DEPTH, actions), np.int8),
            moves=np.zeros((DEPTH, actions), np.int64),
        )

    def new_network(
        self,
        arrays: dict[str, np.ndarray],
        is_policy: bool = False,
        reward: tuple[float, float, float] = network.WIN,
    ) -> Network:
        """The network of these tensors, for one thread; `reward`: see `network.WIN`."""
        actions = self.spec.action_count * self.worlds
        return network.new_network(self.features, actions, arrays, is_policy, reward)

    def run_rows(
        self, decisions: Decisions, evaluator: Evaluator, sample: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Actions int64 (n,) and logits float32 (n, actions) of decisions with worlds."""
        actions = np.zeros(len(decisions), np.int64)
        logits = np.zeros((len(decisions), self.spec.action_count), np.float32)
        masks = np.ascontiguousarray(decisions.masks, np.int8)
        keys = np.ascontiguousarray(decisions.keys, np.int64)
        worlds, parameters = decisions.worlds, decisions.parameters
        choose: Callable[..., None] = self.names["choose_rows"]
        choose(worlds, masks, keys, parameters, *evaluator, sample, actions, logits)
        return actions, logits


def bind_afterstates(
    spec: GameSpec,
    njit: Njit | None = None,
    features: Features | None = None,
    *,
    worlds: int = DEFAULT_WORLDS,
    new_ratings: Callable[[], Any] = lambda: (),
    new_facts: Callable[[], Any] = lambda: (),
    symmetries: Callable[[np.ndarray], list[np.ndarray]] | None = None,
    tilt: float = 0.0,
    **functions: Callable[..., object],
) -> Afterstates:
    """Bind the template to a game; `functions` may replace some of `OPTIONAL`.

    Args:
        spec: the game.
        njit: decorator whose cache depends on the sources of `functions`; None: the game's decorator.
        features: what `write_features` writes; None: the compact observation.
        worlds: see `Afterstates`.
        new_ratings: see `Afterstates`.
        new_facts: see `Afterstates`.
        symmetries: see `Afterstates`; None: a position has one form.
        tilt: see `Afterstates`.
        functions: replacements by name.

    Raises:
        SetupError: a function is unknown, or needs more than one world.
    """
    unknown = sorted(functions.keys() - {function.__name__ for function in OPTIONAL})
    if unknown:
        raise SetupError(f"game {spec.name}: afterstates: expected no function {unknown[0]!r}")
    if worlds == 1 and is_settled.__name__ in functions:
        raise SetupError(f"game {spec.name}: afterstates: is_settled: expected more than one world")
    rating = {rate_moves.__name__, write_rating.__name__}
    plain = None
    if rating & functions.keys():
        more: dict[str, Any] = {key: made for key, made in functions.items() if key not in rating}
        more |= {"worlds": worlds, "new_facts": new_facts, "symmetries": symmetries, "tilt": tilt}
        plain = bind_afterstates(spec, njit, features, **more)
    decorate = make_njit(njit or spec.batch.njit, network.njit, layers.njit, Path(__file__))
    sources = np.zeros(0, np.int64)
    if features is None:
        sources, features = observed_features(spec)
    name = _name_of(spec, features, worlds, sources, functions)
    names = {**globals(), **spec.batch.functions, "rewards": spec.batch.rewards, **functions}
    names |= {"ACTIONS": spec.action_count, "WORLDS": worlds, "RATINGS": features.ratings, "SOURCES": sources}
    for function in (*OPTIONAL, *GENERAL):
        if function.__name__ not in functions:
            copy = with_globals(function, __name__, names, f"{name}.{function.__name__}")
            names[function.__name__] = decorate(copy)
    if worlds == 1:
        names[mean_over_worlds.__name__] = names[mean_of_one.__name__]
    one = [np.arange(features.size)]
    symmetries = symmetries or (lambda _: one)
    made = names, decorate, new_ratings, new_facts, symmetries, tilt, plain
    return Afterstates(spec, name, features, worlds, *made)


def _name_of(
    spec: GameSpec, features: Features, worlds: int, sources: np.ndarray, functions: dict[str, Any]
) -> str:
    # The game's name, and a digest of everything except source files that is compiled into the template.
    own = sorted((name, of.__module__, of.__qualname__) for name, of in functions.items())
    digest = hashlib.sha256(repr((worlds, features.ratings, own)).encode() + sources.tobytes())
    return f"{spec.name}_{digest.hexdigest()[:8]}"


@lru_cache(maxsize=64)
def find_afterstates(spec: GameSpec) -> Afterstates:
    """The afterstates that a game declares (`GameAgents.afterstates`), or those of the observation."""
    own = find_game_agents(spec).afterstates
    declared: Afterstates = bind_afterstates(spec) if own is None else resolve_name(own)
    return declared


def observed_features(spec: GameSpec) -> tuple[np.ndarray, Features]:
    """Describe the compact observation as features: the source index of each feature, and the `Features`.

    If the layout says that the first axis of a piece lists rows, networks use the same weights for each row.
    """
    scales = spec.compact_units(spec.default_parameters())
    rows = [piece for piece in spec.layout.values() if piece.rows]
    each = [_numbers(piece).reshape(len(rows) and rows[0].shape[0], -1) for piece in rows]
    by_row = _padded(np.concatenate(each, 1)) if rows else np.zeros((0, GROUP), np.int64)
    table = [_numbers(piece) for piece in spec.layout.values() if not piece.rows]
    flat = _padded(np.concatenate([np.zeros(0, np.int64), *table])[None])[0]

    def scale(places: np.ndarray) -> np.ndarray:
        return np.where(places >= 0, scales[places], 0).astype(np.float32)

    of_row = scale(by_row[0]) if rows else np.zeros(GROUP, np.float32)
    return np.concatenate([by_row.ravel(), flat]), Features(len(by_row), of_row, scale(flat))


def _numbers(piece: Piece) -> np.ndarray:
    return np.arange(piece.start, piece.start + piece.size)


def _padded(places: np.ndarray) -> np.ndarray:
    # The rows of indices, each filled with -1 up to a multiple of GROUP.
    return np.pad(places, ((0, 0), (0, -places.shape[1] % GROUP)), constant_values=-1)
