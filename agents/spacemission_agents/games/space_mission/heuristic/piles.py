"""Estimates the contents of piles; values sets of tiles with fractional numbers.

A pile that this seat has looked through is known, except for tiles that others have taken since. Any other
pile has a share of all unseen tiles. `held` and `gains`: float64 by kind.
"""

from __future__ import annotations

from math import floor

import numpy as np

from spacemission_agents.games.space_mission import features as f
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine import scoring


@njit
def most(held, first, colours):
    """The number of tiles of the most frequent colour."""
    highest = 0.0
    for k in range(first, first + colours):
        highest = max(highest, held[k])
    return highest


@njit
def total(held, first, colours):
    """The number of tiles of all colours."""
    number = 0.0
    for k in range(first, first + colours):
        number += held[k]
    return number


@njit
def water_value(number):
    """SM-65, interpolated linearly between whole numbers."""
    fours = floor(number / 4.0)
    rest = number - 4.0 * fours
    i = min(int(rest), 3)
    step = scoring.WATER_POINTS[i + 1] - scoring.WATER_POINTS[i]
    return scoring.WATER_POINTS[4] * fours + scoring.WATER_POINTS[i] + step * (rest - i)


@njit
def matter_value(green, blue):
    """SM-64."""
    return scoring.PAIR_POINTS * min(green, blue) + scoring.SINGLE_POINTS * abs(green - blue)


@njit
def set_value(held):
    """The points of a set of tiles; equal to `scoring.tile_points` for whole numbers."""
    return (
        total(held, c.MINERAL, 4) * most(held, c.MINERAL, 4)
        + total(held, c.ALIEN, 2) * most(held, c.ALIEN, 2)
        + matter_value(held[c.MATTER_GREEN], held[c.MATTER_BLUE])
        + water_value(held[c.WATER])
        + scoring.MEDAL_POINTS * held[c.MEDAL]
        + scoring.SPACE_POINTS * held[c.SPACE]
    )


@njit
def square_gains(held, first, colours, gains):
    """SM-63: write the points for one more tile of each colour."""
    number = total(held, first, colours)
    highest = most(held, first, colours)
    for k in range(first, first + colours):
        gains[k] = (number + 1.0) * max(highest, held[k] + 1.0) - number * highest


@njit
def set_gains(held, gains):
    """Write the points for one more tile of each point kind."""
    square_gains(held, c.MINERAL, 4, gains)
    square_gains(held, c.ALIEN, 2, gains)
    green, blue = held[c.MATTER_GREEN], held[c.MATTER_BLUE]
    matter = matter_value(green, blue)
    gains[c.MATTER_GREEN] = matter_value(green + 1.0, blue) - matter
    gains[c.MATTER_BLUE] = matter_value(green, blue + 1.0) - matter
    gains[c.WATER] = water_value(held[c.WATER] + 1.0) - water_value(held[c.WATER])
    gains[c.MEDAL] = scoring.MEDAL_POINTS


SERIES = 5  # maximum number of tiles of a pile that are valued
ENOUGH = 0.02  # an expected rest of less than this fraction of a tile is ignored


@njit
def read_piles(o, t, b):
    """Estimate the contents of each pile."""
    for k in range(c.KINDS):
        b.tiles[k] = f.count(o[f.TILES_AT + k], int(t.tile_count[k]))
        b.held[k] = b.tiles[k]
        for p in range(c.RING):
            b.held[k] += f.count(o[f.RESERVED_KINDS + p * c.KINDS + k], c.PILE)
    for k in range(c.KINDS):  # unseen tiles
        b.line[k] = t.tile_count[k] - b.held[k]
        for p in range(c.RING):
            b.line[k] -= f.count(o[f.REMEMBERED + p * c.KINDS + k], c.PILE)
        b.line[k] = max(b.line[k], 0.0)
    for p in range(c.RING):  # face-up space tiles in piles never looked through
        if seen_points(o, p) == 0 and o[f.REMEMBERED + p * c.KINDS + c.SPACE] <= 0:
            b.line[c.SPACE] = max(b.line[c.SPACE] - f.count(o[f.FACE_UP + p], c.PILE), 0.0)
    unseen = max(b.line.sum(), 1.0)
    for p in range(c.RING):
        left = f.count(o[f.TILES_LEFT + p], c.PILE)
        if b.closed >> p & 1:
            b.points[p] = 0.0
            b.spaces[p] = 0.0
            for k in range(c.POINT_KINDS):
                b.number[p, k] = 0.0
                b.present[p, k] = 0.0
        elif seen_points(o, p) > 0:
            read_seen_pile(o, b, p)
        else:
            guess_pile(b, p, left, unseen)


@njit
def seen_points(o, p):
    """The number of point tiles in a pile after this seat's last look; 0 without a look."""
    points = 0
    for k in range(c.POINT_KINDS):
        points += f.count(o[f.REMEMBERED + p * c.KINDS + k], c.PILE)
    return points


@njit
def read_seen_pile(o, b, p):
    """Estimate a pile seen before: since then, some but not all of its point tiles went (SM-46)."""
    points = seen_points(o, p)
    gone = min(f.count(o[f.GONE_SINCE + p], c.PILE), points - 1)
    b.points[p] = points - gone
    b.spaces[p] = f.count(o[f.REMEMBERED + p * c.KINDS + c.SPACE], c.PILE)
    share = gone / points
    for k in range(c.POINT_KINDS):
        number = f.count(o[f.REMEMBERED + p * c.KINDS + k], c.PILE)
        b.number[p, k] = number * (1.0 - share)
        b.present[p, k] = 1.0 - share**number if number > 0 else 0.0


@njit
def guess_pile(b, p, left, unseen):
    """Estimate a pile never seen: dealt from the unseen tiles, then point tiles taken."""
    spaces = c.PILE * b.line[c.SPACE] / unseen
    b.spaces[p] = max(0.0, min(spaces, left - 1.0))
    b.points[p] = left - b.spaces[p]
    points = max(unseen - b.line[c.SPACE], 1.0)
    for k in range(c.POINT_KINDS):
        share = b.line[k] / points
        b.number[p, k] = share * b.points[p]
        b.present[p, k] = 1.0 - (1.0 - share) ** b.points[p]


@njit
def look_ahead(w, b):
    """Estimate the final set: tiles to come are the available ones with the highest gains."""
    for k in range(c.KINDS):
        b.ahead[k] = b.held[k]
    set_gains(b.held, b.gains)
    takes = 0.0 if b.last else w.takes_ahead * b.tile_rate * b.rounds
    highest = 0.0
    for k in range(c.POINT_KINDS):
        highest = max(highest, b.gains[k])
    whole = 0.0
    for k in range(c.POINT_KINDS):
        out = 0.0
        for p in range(c.RING):
            out += b.number[p, k]
        b.work[k] = out
        b.line[k] = out * np.exp((b.gains[k] - highest) / w.focus)
        whole += b.line[k]
    if whole > 0.0:
        for k in range(c.POINT_KINDS):
            b.ahead[k] += min(takes * b.line[k] / whole, 0.6 * b.work[k])
    set_lean(w, b)


@njit
def set_lean(w, b):
    """Write the bonus of kinds early in the game."""
    b.lean[c.MINERAL : c.ALIEN] = w.lean_mineral * b.youth
    b.lean[c.ALIEN : c.MATTER_GREEN] = w.lean_alien * b.youth
    b.lean[c.MATTER_GREEN : c.WATER] = w.lean_matter * b.youth
    b.lean[c.WATER] = w.lean_water * b.youth
    b.lean[c.MEDAL] = w.lean_medal * b.youth


@njit
def value_piles(o, b):
    """Value the best tiles of each pile in turn, and the seat's reserved tiles."""
    value = set_value(b.ahead)
    for p in range(c.RING):
        changed = False
        for k in range(c.KINDS):
            b.line[k] = b.ahead[k] - f.count(o[f.RESERVED_KINDS + p * c.KINDS + k], c.PILE)
            changed |= b.line[k] != b.ahead[k]
        b.reserved[p] = value - set_value(b.line) if changed else 0.0
        for i in range(SERIES):
            b.series[p, i] = 0.0
        if not b.closed >> p & 1:
            value_pile(b, p)


@njit
def value_pile(b, p):
    """Write the expected gain of the best tile of a pile, of the next one, and so on."""
    for k in range(c.KINDS):
        b.line[k] = b.ahead[k]
    left = b.points[p]
    for i in range(SERIES):
        if left < 0.5:
            return
        set_gains(b.line, b.gains)
        for k in range(c.POINT_KINDS):
            b.gains[k] += b.lean[k]
        share = min(left, 1.0)
        left -= 1.0
        f.order_best_first(b.gains, b.order)
        for n in range(c.POINT_KINDS):
            k = b.order[n]
            taken = share * min(b.present[p, k], b.number[p, k])
            b.series[p, i] += taken * b.gains[k]
            b.line[k] += taken
            b.number[p, k] -= taken
            share -= taken
            if share < ENOUGH:
                break
