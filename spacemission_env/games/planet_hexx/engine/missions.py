"""Mission Files (HX-36 to HX-38) and the end of the game (HX-53, HX-54)."""

from __future__ import annotations

from spacemission_env.core.constants import FINISHED, TRUNCATED
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import NOTHING, POINTS


@njit
def open_point(s, t, seat, card):
    """HX-36: the lowest-numbered unfilled point of the card's type; NOTHING if there is none."""
    for p in range(POINTS):
        if s.points[seat, p] == t.type[card] and s.filled[seat, p] == NOTHING:
            return p
    return NOTHING


@njit
def uploads(s, seat):
    """How many points are filled."""
    count = 0
    for p in range(POINTS):
        count += s.filled[seat, p] != NOTHING
    return count


@njit
def upload(s, t, seat, card):
    """A card that fits goes to the Mission File; HX-53: who fills the sixth point wins at once."""
    s.filled[seat, open_point(s, t, seat, card)] = card
    if uploads(s, seat) == POINTS and not t.equal_turns:
        s.won[seat] = 1
        s.over = FINISHED


@njit
def end_of_round(s, t):
    """HX-54 with `equal_turns`: of those who are complete, who has the most Data; then the limit of turns."""
    if t.equal_turns:
        most = NOTHING
        for j in range(s.num_players):
            if uploads(s, j) == POINTS:
                most = max(most, int(s.store[j]))
        if most != NOTHING:
            for j in range(s.num_players):
                s.won[j] = uploads(s, j) == POINTS and s.store[j] == most
            s.over = FINISHED
            return
    if s.turn >= t.max_turns * s.num_players:
        s.over = TRUNCATED
