"""Declares what networks of Planet Hexx read: afterstates, and ratings of moves by `heuristic`.

The features are facts that a seat may know. A row of features describes a hex on the board: its distance from
the seat's ship along open ways, its Data, and what can be done there. The other features, called the table,
describe the seat's Mission File, Store and hand, the turn, the decision under way, and public facts about the
other seats. No feature reads hidden cards of others.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.afterstates.moves import bind_afterstates
from spacemission_agents.afterstates.network import Features, byte, placed_features, write_two_best
from spacemission_agents.games.planet_hexx import facts
from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.facts import FAR
from spacemission_agents.games.planet_hexx.heuristic import choice
from spacemission_agents.games.planet_hexx.heuristic.agent import shipped_digest, shipped_weights
from spacemission_agents.models.network_input import NetworkInput
from spacemission_env.core.constants import FINISHED, RUNNING
from spacemission_env.core.game_spec import find_game
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.board import may_lay
from spacemission_env.games.planet_hexx.engine.grid import EDGES, NEIGHBOURS
from spacemission_env.games.planet_hexx.engine.legal import write_mask
from spacemission_env.games.planet_hexx.engine.missions import uploads
from spacemission_env.games.planet_hexx.engine.play import apply, carry_out
from spacemission_env.games.planet_hexx.engine.stack import top
from spacemission_env.games.planet_hexx.spec import SPEC

HEXES = 52  # maximum number of hexes that have a row
STEPS = np.array([0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 8, 8, 8, 8] + [9] * (FAR - 15) + [10])  # bin of a distance
BINS = int(STEPS.max()) + 1
MOST = 255
PARTS = 252  # value of the feature for a potential of 1
ROLLING = c.HAND + 1  # value of `pending` for a Move whose die is not rolled yet; else 0 to HAND drawn cards
FILES = c.POINTS + 1  # number of features for a number of points, 0 to 6 (one-hot)
NEAR = np.array([1, 2, 3, 5])  # limits for the distances of the nearest rival's ship and the nearest Data

# fmt: off
_ROW, ROW_SCALES = placed_features(
    ("steps", BINS, 1), ("data", 1, 1 / 4), ("any_data", 1, 1), ("yields", 1, 1 / 8), ("planet", 1, 1),
    ("upload", 1, 1), ("own_ship", 1, 1), ("other_ships", 1, 1), ("landed", 1, 1),
    ("rival_near", len(NEAR), 1), ("effects", 3, 1), ("data_near", len(NEAR), 1), ("sites", 1, 1 / 2),
    ("touches", 1, 1 / 4),
)
_TABLE, TABLE_SCALES = placed_features(
    ("num_players", 3, 1), ("over", 1, 1), ("active", c.MAX_PLAYERS, 1), ("actions_left", 4, 1),
    ("gained", c.ACTIONS, 1), ("banned", c.ACTIONS + 1, 1), ("bonus", 2, 1 / 2), ("surprised", 1, 1),
    ("store", 1, 1 / 8), ("affordable", FILES, 1), ("points", FILES, 1), ("wanted", c.TYPES, 1 / 2),
    ("cards", c.TYPES, 1 / 2), ("covered", FILES, 1), ("alternative", 1, 1), ("hand_size", 1, 1 / 4),
    ("need", 1, 1 / 8), ("spare", 1, 1 / 4), ("counters", 1, 1 / 2), ("kinds", c.KINDS, 1),
    ("asked", len(c.ASKED), 1), ("own_frame", 1, 1), ("left", 1, 1 / 4), ("frame_type", c.TYPES, 1),
    ("rival", c.MAX_PLAYERS - 1, 1), ("rival_store", c.MAX_PLAYERS - 1, 1 / 8),
    ("rival_affordable", (c.MAX_PLAYERS - 1) * FILES, 1), ("rival_points", (c.MAX_PLAYERS - 1) * FILES, 1),
    ("rival_wanted", (c.MAX_PLAYERS - 1) * c.TYPES, 1 / 2), ("rival_hand", c.MAX_PLAYERS - 1, 1 / 4),
    ("rival_space", c.MAX_PLAYERS - 1, 1 / 4), ("rival_counters", c.MAX_PLAYERS - 1, 1 / 2),
    ("rival_banned", c.MAX_PLAYERS - 1, 1),
    ("deck", 1, 1 / 64), ("round", 1, 1 / 16), ("hexes", 1, 1 / 16), ("open_cells", 1, 1 / 16),
    ("all_data", 1, 1 / 16), ("rolling", 1, 1), ("drawn", 1, 1 / 4),
    ("potential", 1, 1 / PARTS), ("ready", FILES, 1), ("near_data", BINS, 1),
    ("near_space", BINS, 1), ("in_reach", 2, 1), ("card", c.KINDS, 1), ("near_site", BINS, 1),
)
(R_STEPS, R_DATA, R_ANY_DATA, R_YIELDS, R_PLANET, R_UPLOAD, R_OWN_SHIP, R_OTHER_SHIPS, R_LANDED, R_RIVAL_NEAR,
 R_EFFECTS, R_DATA_NEAR, R_SITES, R_TOUCHES) = _ROW
(T_PLAYERS, T_OVER, T_ACTIVE, T_ACTIONS, T_GAINED, T_BANNED, T_BONUS, T_SURPRISED, T_STORE, T_AFFORDABLE,
 T_POINTS, T_WANTED, T_CARDS, T_COVERED, T_ALTERNATIVE, T_HAND, T_NEED, T_SPARE, T_COUNTERS, T_KINDS,
 T_ASKED, T_OWN_FRAME, T_LEFT, T_FRAME_TYPE, T_RIVAL, T_RIVAL_STORE, T_RIVAL_AFFORDABLE, T_RIVAL_POINTS,
 T_RIVAL_WANTED,
 T_RIVAL_HAND, T_RIVAL_SPACE, T_RIVAL_COUNTERS, T_RIVAL_BANNED, T_DECK, T_ROUND, T_HEXES, T_OPEN_CELLS,
 T_ALL_DATA, T_ROLLING, T_DRAWN, T_POTENTIAL, T_READY, T_NEAR_DATA, T_NEAR_SPACE, T_IN_REACH, T_CARD,
 T_NEAR_SITE) = _TABLE
# fmt: on
# The features of a move's rating, which is the same in all states of an information set:
# RATING: the rating in 64ths, plus 128.
# LOSS, LOSS_FINE: how far the rating is below the best one, in 128ths and in 1024ths.
# BEST: whether the rating is the best one.
# UNRATED: whether the move has no rating, because it puts a hex far from the ship.
# AHEAD, AHEAD_FINE: for the best move, how far it is ahead of the second best, in 128ths and in 1024ths.
# The eighth feature is always 0 (`network.GROUP`).
RATING, LOSS, LOSS_FINE, BEST, UNRATED, AHEAD, AHEAD_FINE = range(7)
SCALES = np.array([1 / 64, 1 / 64, 1 / 64, 1, 1, 1 / 64, 1 / 64, 0], np.float32)
# An untrained policy's critic subtracts 2 d from a move's logit, where d is how far its rating is below the
# best one; if d is above 1/4, it subtracts d + 1/4.
RESIDUAL = (0.0, -1 / 2, -1 / 16, 0.0, 0.0, 0.0, 0.0, 0.0)
LEVEL, COARSE, FINE = 64.0, 128.0, 1024.0
MIDDLE = 128

ROW, TABLE = len(ROW_SCALES), len(TABLE_SCALES)
SIZES = Features(
    HEXES,
    ROW_SCALES,
    TABLE_SCALES,
    SCALES,
    marks=(R_OWN_SHIP,),
    outputs=("share", "filled", "lead"),
    potential=T_POTENTIAL,
    residual=RESIDUAL,
)


@njit
def potential(s, t, seat):
    """A seat's progress, 0 to 1: half for filled points of its Mission File, half for Data.

    Data counts if it was paid for filled points, or if it is in the Store and needed for unfilled ones.
    """
    filled = uploads(s, seat)
    cost = max(1, int(t.upload_cost))
    paid = cost * filled + min(int(s.store[seat]), cost * (c.POINTS - filled))
    return (filled + paid / cost) / (2.0 * c.POINTS)


def new_facts() -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Scratch memory of `write_features`: unfilled points by type, and the scratch memory of `find_ways`."""
    return np.zeros(c.TYPES, np.int64), facts.new_ways()


@njit
def write_features(s, t, seat, pending, scratch, x):
    """Write the features of a position, as a seat knows it, into x, uint8 (size,).

    `pending`: the number of cards that the seat has drawn but not seen, or `ROLLING` (see `begin_move`).
    """
    wanted, ways = scratch.facts
    x[:] = 0
    table = x[HEXES * ROW :]
    write_turn(s, t, seat, table)
    table[T_ROLLING], table[T_DRAWN] = pending == ROLLING, 0 if pending == ROLLING else pending
    write_own(s, t, seat, wanted, table)
    table[T_POTENTIAL] = int(PARTS * potential(s, t, seat))
    for k in range(1, s.num_players):
        write_rival(s, t, (seat + k) % int(s.num_players), k - 1, wanted, table)
    if s.over != RUNNING:
        return
    facts.find_ways(s, t, int(s.ship[seat]), int(s.landed[seat]), ways)
    total = 0
    for i in range(s.hexes):
        total += s.hex_data[s.placed[i]]
        if i < HEXES:
            write_hex(s, t, seat, int(s.placed[i]), ways[0], x[i * ROW : (i + 1) * ROW])
    table[T_ALL_DATA] = min(total, MOST)
    write_nearest(s, t, seat, ways[0], x, table)


@njit
def write_nearest(s, t, seat, steps, rows, x):
    """Write the distance of the nearest Planet with Data, Space that allows Uploads, and cell for a Planet.

    `rows`: features of the hexes. The two `T_IN_REACH` features say whether the seat's Move can reach this
    Planet, and this Space.
    """
    data, space, site = FAR, FAR, FAR
    for i in range(min(s.hexes, HEXES)):
        away, row = int(steps[s.placed[i]]), rows[i * ROW : (i + 1) * ROW]
        if row[R_ANY_DATA] and away > 0:
            data = min(data, away)
        if row[R_SITES] and (away == 0 or not row[R_PLANET]):
            site = min(site, away + 1)
        if row[R_UPLOAD]:
            space = min(space, away)
    x[T_NEAR_DATA + STEPS[data]] = x[T_NEAR_SPACE + STEPS[space]] = x[T_NEAR_SITE + STEPS[site]] = 1
    if s.asked == c.STEP and top(s).seat == seat:
        x[T_IN_REACH], x[T_IN_REACH + 1] = data <= top(s).left, space <= top(s).left


@njit
def write_turn(s, t, seat, x):
    """Write the turn and the decision under way."""
    n = int(s.num_players)
    x[T_PLAYERS + n - c.MIN_PLAYERS] = 1
    x[T_OVER] = s.over != RUNNING
    x[T_ACTIVE + (s.active - seat) % n] = 1
    x[T_ACTIONS + min(max(int(s.actions_left), 0), 3)] = 1
    for kind in range(c.ACTIONS):
        x[T_GAINED + kind] = max(int(s.gained[kind]), 0)
    for kind in range(c.ACTIONS + 1):
        x[T_BANNED + kind] = s.banned[seat] >> kind & 1
    x[T_BONUS] = max(int(s.bonus[seat]), 0)
    x[T_BONUS + 1] = max(-int(s.bonus[seat]), 0)
    x[T_SURPRISED] = s.surprised[seat]
    x[T_DECK], x[T_ROUND] = min(int(s.deck_size), MOST), min(int(s.round_number), MOST)
    x[T_HEXES], x[T_OPEN_CELLS] = s.hexes, min(int(s.open_cells[c.PLAIN]), MOST)
    if s.over == RUNNING and s.depth > 0:
        f = top(s)
        x[T_ASKED + int(s.asked)] = 1
        x[T_OWN_FRAME] = f.seat == seat
        x[T_LEFT] = min(max(int(f.left), 0), MOST)
        if f.card != c.NOTHING:
            x[T_FRAME_TYPE + int(t.type[f.card])] = 1
        card = card_under_way(s)
        if card != c.NOTHING:
            x[T_CARD + card] = 1


@njit
def card_under_way(s):
    """The card that is being played, or whose effect is under way; NOTHING if there is none."""
    for i in range(s.depth - 1, -1, -1):
        if s.stack[i].card != c.NOTHING:
            return int(s.stack[i].card)
    return c.NOTHING


@njit
def write_own(s, t, seat, wanted, x):
    """Write the seat's Mission File, Store and hand; `wanted`: scratch memory."""
    points, store = facts.open_points(s, seat, wanted), int(s.store[seat])
    for kind in range(c.TYPES):
        x[T_WANTED + kind] = wanted[kind]
    covered, alternative = 0, 0
    for i in range(s.hand_size[seat]):
        card = int(s.hand[seat, i])
        kind = int(t.type[card])
        x[T_KINDS + card] += 1
        x[T_CARDS + kind] += 1
        if facts.fills_point(t, card, wanted):
            covered += 1
            alternative += t.alt_cost[card] != c.NOTHING
    need, paid = int(t.upload_cost) * points - store, facts.affordable(t, store, points)
    x[T_STORE], x[T_AFFORDABLE + paid], x[T_READY + min(covered, paid)] = min(store, MOST), 1, 1
    x[T_POINTS + points], x[T_COVERED + covered], x[T_ALTERNATIVE] = 1, 1, alternative
    x[T_HAND], x[T_COUNTERS] = s.hand_size[seat], s.counters[seat]
    x[T_NEED], x[T_SPARE] = max(need, 0), min(max(-need, 0), MOST)


@njit
def write_rival(s, t, seat, k, wanted, x):
    """Write the public facts of another seat into place k; `wanted`: scratch memory."""
    points, store = facts.open_points(s, seat, wanted), int(s.store[seat])
    x[T_RIVAL + k] = 1
    x[T_RIVAL_STORE + k] = min(store, MOST)
    x[T_RIVAL_AFFORDABLE + k * FILES + facts.affordable(t, store, points)] = 1
    x[T_RIVAL_POINTS + k * FILES + points] = 1
    for kind in range(c.TYPES):
        x[T_RIVAL_WANTED + k * c.TYPES + kind] = wanted[kind]
    x[T_RIVAL_HAND + k], x[T_RIVAL_COUNTERS + k] = s.hand_size[seat], s.counters[seat]
    x[T_RIVAL_BANNED + k] = s.banned[seat] != 0
    nearest = FAR
    for i in range(s.hexes):
        cell = int(s.placed[i])
        if facts.allows_upload(s, t, cell):
            nearest = min(nearest, facts.hexes_between(int(s.ship[seat]), cell))
    x[T_RIVAL_SPACE + k] = nearest


@njit
def write_hex(s, t, seat, cell, steps, x):
    """Write a hex on the board; `steps`: the number of steps from the seat's ship to each cell."""
    card = s.hex[cell]
    x[R_STEPS + STEPS[min(int(steps[cell]), FAR)]] = 1
    x[R_DATA], x[R_ANY_DATA] = min(int(s.hex_data[cell]), MOST), s.hex_data[cell] > 0
    x[R_PLANET] = t.type[card] == c.PLANET
    x[R_UPLOAD] = facts.allows_upload(s, t, cell)
    if s.hex_data[cell] > 0:
        x[R_YIELDS] = min(int(8 * facts.yields(s, t, cell)), MOST)
    x[R_LANDED] = s.landed[seat] == cell
    rival, data = FAR, FAR
    for j in range(s.num_players):
        if j == seat:
            x[R_OWN_SHIP] = s.ship[j] == cell
        else:
            away = facts.hexes_between(int(s.ship[j]), cell)
            x[R_OTHER_SHIPS] += away == 0
            rival = min(rival, away)
    x[R_EFFECTS] = t.on_stop[card] != c.NOTHING
    x[R_EFFECTS + 1] = t.on_through[card] != c.NOTHING
    x[R_EFFECTS + 2] = t.on_start[card] != c.NOTHING
    x[R_SITES], x[R_TOUCHES] = sites(s, cell), s.touches[cell]
    for i in range(s.hexes):
        other = int(s.placed[i])
        if s.hex_data[other] > 0 and other != cell:
            data = min(data, facts.hexes_between(cell, other))
    for i in range(len(NEAR)):
        x[R_RIVAL_NEAR + i], x[R_DATA_NEAR + i] = rival <= NEAR[i], data <= NEAR[i]


@njit
def sites(s, cell):
    """The number of cells beside a hex where a Planet may be laid."""
    count = 0
    for d in range(EDGES):
        to = NEIGHBOURS[cell, d]
        count += to >= 0 and may_lay(s, c.PLAIN, to)
    return count


@njit
def write_more_targets(s, t, scores, targets):
    """Write the share of each seat's Mission File that is filled, and its lead, into columns 1 and 2.

    A game that the turn limit stopped has no winner; then column 0, the share of the win, gets the potential.
    """
    n = int(s.num_players)
    for j in range(n):
        best = 0
        for k in range(n):
            if k != j:
                best = max(best, scores[k, 0])
        targets[j, 1] = scores[j, 0] / c.POINTS
        targets[j, 2] = (scores[j, 0] - best) / c.POINTS
    if s.over != FINISHED:
        for j in range(n):
            targets[j, 0] = potential(s, t, j)


@njit
def begin_move(s, t, action):
    """Make a move, but stop before the die of a Move is rolled; take drawn, unseen cards out of the hand.

    When other seats are asked for a Surprise, they pass, because a Surprise would hide what the move itself
    does. Return the number of drawn cards, or `ROLLING`.
    """
    if (s.asked == c.MAIN or s.asked == c.GAINED) and action == c.TO_MOVE:
        carry_out(s, t, action)
        return ROLLING
    seat, asked = int(s.player), s.asked
    hand = s.hand[seat].copy()
    size = int(s.hand_size[seat])
    apply(s, t, action)
    while s.over == RUNNING and s.asked == c.WINDOW and s.player != seat:
        apply(s, t, c.PASS)
    return 0 if asked == c.RECOVER else hide_drawn(s, seat, hand, size)  # a card from the Discard is public


@njit
def hide_drawn(s, seat, before, size):
    """Remove the cards from a hand that were not in it before (`before`, sorted); return how many."""
    kept, i = 0, 0
    for k in range(s.hand_size[seat]):
        card = s.hand[seat, k]
        while i < size and before[i] < card:
            i += 1
        if i < size and before[i] == card:
            s.hand[seat, kept] = card
            kept += 1
            i += 1
    drawn = int(s.hand_size[seat]) - kept
    s.hand_size[seat] = kept
    return drawn


@njit
def is_certain(before, after):
    """Whether a move from `before` to `after` used no random numbers, and no other seat is asked."""
    if after.player != before.player and after.asked != c.MAIN:
        return False
    for i in range(len(before.rng)):  # noqa: SIM110 - numba knows no all()
        if after.rng[i] != before.rng[i]:
            return False
    return True


@njit
def is_settled(s, t, seat):
    """Whether the seat's move is complete: no choice that belongs to it, such as the next step, is left."""
    return s.asked == c.MAIN or s.asked == c.GAINED or s.asked == c.SIDE or s.asked == c.WINDOW


@njit
def edge_key(s, action, own):
    """The number of a move in a search: the action; for a hand card a number by its kind, not its slot."""
    if c.TO_PLAY <= action < c.TO_CELL:
        group, slot = divmod(action - c.TO_PLAY, c.HAND)
        return np.int64(c.ACTION_COUNT + c.KINDS * group + int(s.hand[s.player, slot]))
    return np.int64(action)


class MoveRatings(NamedTuple):
    """The heuristic's ratings of one decision, with scratch memory."""

    weights: np.ndarray  # the weights of `heuristic`, one record
    scratch: Any  # the scratch memory of `choice.rate`
    mask: np.ndarray  # legal moves, int8 (actions,)
    values: np.ndarray  # rating of each move, float64 (actions,)
    best: np.ndarray  # the two highest ratings, float64 (2,)


def new_ratings() -> MoveRatings:
    mask, values = np.zeros(c.ACTION_COUNT, np.int8), np.zeros(c.ACTION_COUNT)
    return MoveRatings(shipped_weights(), choice.new_scratch(), mask, values, np.zeros(2))


@njit
def rate_moves(s, t, ratings):
    """Rate all legal moves, even if the caller's mask allows only some, so that training and play agree."""
    write_mask(s, t, s.player, ratings.mask)
    choice.rate(s, t, ratings.weights[0], ratings.mask, ratings.scratch, ratings.values)
    write_two_best(ratings.values, choice.LEFT_OUT, ratings.best)


@njit
def write_rating(action, ratings, x):
    """Write the rating of a move into x, uint8 (8,)."""
    value, best, second = ratings.values[action], ratings.best[0], ratings.best[1]
    if value <= choice.LEFT_OUT:
        x[UNRATED] = 1
        return
    x[RATING] = byte(MIDDLE + LEVEL * value)
    x[LOSS], x[LOSS_FINE] = byte(COARSE * (best - value)), byte(FINE * (best - value))
    if value == best:
        x[BEST] = 1
        if second > choice.LEFT_OUT:
            x[AHEAD], x[AHEAD_FINE] = byte(COARSE * (best - second)), byte(FINE * (best - second))


AFTERSTATES = bind_afterstates(
    SPEC,
    njit,
    SIZES,
    new_ratings=new_ratings,
    new_facts=new_facts,
    begin_move=begin_move,
    write_features=write_features,
    rate_moves=rate_moves,
    write_rating=write_rating,
    write_more_targets=write_more_targets,
    is_certain=is_certain,
    is_settled=is_settled,
    potential=potential,
    edge_key=edge_key,
)

DATA = Path(__file__).parent / "data"


class PlanetHexxNetworkInput(NetworkInput):
    """Adds ratings by `heuristic` to the inputs that every game has."""

    shipped = {name: DATA / name for name in ("default", "scratch")}

    def __init__(self) -> None:
        super().__init__(find_game("planet_hexx"))

    def ratings_digest(self) -> str:
        """The digest of the weights of `heuristic`."""
        return shipped_digest()
