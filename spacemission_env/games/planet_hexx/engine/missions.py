"""Fills Mission Files (HX-36 to HX-38) and ends the game (HX-53, HX-54)."""

from __future__ import annotations

from spacemission_env.core.constants import FINISHED, TRUNCATED
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import NOTHING, POINTS, UPLOADED
from spacemission_env.games.planet_hexx.engine.stack import begin_effect, has_room
from spacemission_env.games.planet_hexx.engine.windows import open_window


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
    """A card that fits goes to the Mission File; HX-53: who fills the sixth point wins at once.

    HR-35: what the card says of being uploaded comes first, then the window.
    """
    s.filled[seat, open_point(s, t, seat, card)] = card
    if uploads(s, seat) == POINTS and not t.equal_turns:
        s.won[seat] = 1
        s.over = FINISHED
        return
    open_window(s, t, UPLOADED, seat)
    begin_uploaded(s, t.on_upload[card], seat, card)


@njit
def begin_uploaded(s, code, seat, card):
    """HX-37: an effect of an uploaded card begins, if it has one."""
    if code != NOTHING and has_room(s):
        begin_effect(s, code, seat, card)


@njit
def upload_at_once(s, t, seat, card):
    """HX-38, HR-27: an immediate Upload is paid and carried out."""
    s.store[seat] -= t.immediate_upload_cost
    upload(s, t, seat, card)


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
