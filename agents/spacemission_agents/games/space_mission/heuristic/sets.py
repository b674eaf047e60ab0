"""What sets of tiles are worth where numbers may be fractions, as expectations are (SM-63 to SM-65).

Small kernels with plain arguments, for any agent: `held` and `gains` are float64 arrays by kind.
"""

from __future__ import annotations

from math import floor

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.games.space_mission.engine.constants import (
    ALIEN,
    MATTER_BLUE,
    MATTER_GREEN,
    MEDAL,
    MINERAL,
    SPACE,
    WATER,
)
from spacemission_env.games.space_mission.engine.scoring import (
    MEDAL_POINTS,
    PAIR_POINTS,
    SINGLE_POINTS,
    SPACE_POINTS,
    WATER_POINTS,
)


@njit
def most(held, first, colours):
    """Number of tiles of the most frequent colour."""
    highest = 0.0
    for k in range(first, first + colours):
        highest = max(highest, held[k])
    return highest


@njit
def total(held, first, colours):
    """Number of tiles of all colours."""
    count = 0.0
    for k in range(first, first + colours):
        count += held[k]
    return count


@njit
def water_value(count):
    """SM-65, straight lines between the whole numbers."""
    fours = floor(count / 4.0)
    rest = count - 4.0 * fours
    i = min(int(rest), 3)
    step = WATER_POINTS[i + 1] - WATER_POINTS[i]
    return WATER_POINTS[4] * fours + WATER_POINTS[i] + step * (rest - i)


@njit
def matter_value(green, blue):
    """SM-64."""
    return PAIR_POINTS * min(green, blue) + SINGLE_POINTS * abs(green - blue)


@njit
def set_value(held):
    """Points of a set of tiles; equal to `scoring.tile_points` for whole numbers."""
    return (
        total(held, MINERAL, 4) * most(held, MINERAL, 4)
        + total(held, ALIEN, 2) * most(held, ALIEN, 2)
        + matter_value(held[MATTER_GREEN], held[MATTER_BLUE])
        + water_value(held[WATER])
        + MEDAL_POINTS * held[MEDAL]
        + SPACE_POINTS * held[SPACE]
    )


@njit
def square_gains(held, first, colours, gains):
    """SM-63: write what one more tile of each colour adds."""
    count = total(held, first, colours)
    highest = most(held, first, colours)
    for k in range(first, first + colours):
        gains[k] = (count + 1.0) * max(highest, held[k] + 1.0) - count * highest


@njit
def set_gains(held, gains):
    """Write what one more tile of each point kind adds to a set."""
    square_gains(held, MINERAL, 4, gains)
    square_gains(held, ALIEN, 2, gains)
    green, blue = held[MATTER_GREEN], held[MATTER_BLUE]
    matter = matter_value(green, blue)
    gains[MATTER_GREEN] = matter_value(green + 1.0, blue) - matter
    gains[MATTER_BLUE] = matter_value(green, blue + 1.0) - matter
    gains[WATER] = water_value(held[WATER] + 1.0) - water_value(held[WATER])
    gains[MEDAL] = MEDAL_POINTS
