"""Fills Mission Files (HX-36 to HX-38), ends the game (HX-53, HX-54) and scores it."""

from spacemission_env.core.constants import FINISHED, TRUNCATED
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.stack import begin_effect, has_room, open_window


@njit
def open_point(s, t, seat, card):
    """HX-36: the lowest-numbered unfilled point of the card's type; NOTHING if there is none."""
    for p in range(c.POINTS):
        if s.points[seat, p] == t.type[card] and s.filled[seat, p] == c.NOTHING:
            return p
    return c.NOTHING


@njit
def uploads(s, seat):
    """How many points of a seat are filled."""
    count = 0
    for p in range(c.POINTS):
        count += s.filled[seat, p] != c.NOTHING
    return count


@njit
def upload(s, t, seat, card):
    """Upload a card that fits. HX-53: the seat that fills its sixth point wins at once.

    HR-35: the card's effect comes first, then the window in which others may answer.
    """
    s.filled[seat, open_point(s, t, seat, card)] = card
    if uploads(s, seat) == c.POINTS and not t.equal_turns:
        s.won[seat] = 1
        s.over = FINISHED
        return
    open_window(s, t, c.UPLOADED, seat)
    begin_uploaded(s, t.on_upload[card], seat, card)


@njit
def begin_uploaded(s, code, seat, card):
    """HX-37: begin the effect `code` of an uploaded card, unless `code` is NOTHING."""
    if code != c.NOTHING and has_room(s):
        begin_effect(s, code, seat, card)


@njit
def upload_at_once(s, t, seat, card):
    """HX-38, HR-27: pay for an immediate Upload and carry it out."""
    s.store[seat] -= t.immediate_upload_cost
    upload(s, t, seat, card)


@njit
def end_of_round(s, t):
    """End a round; the game may end with it.

    HX-54, with `equal_turns`: of the seats with complete Mission Files, those with the most Data win. If no
    seat has won and `max_turns` is reached, truncate the game.
    """
    if t.equal_turns:
        most = c.NOTHING
        for j in range(s.num_players):
            if uploads(s, j) == c.POINTS:
                most = max(most, int(s.store[j]))
        if most != c.NOTHING:
            for j in range(s.num_players):
                s.won[j] = uploads(s, j) == c.POINTS and s.store[j] == most
            s.over = FINISHED
            return
    if s.turn >= t.max_turns * s.num_players:
        s.over = TRUNCATED


@njit
def score(s, t, scores):
    """Write the scores of each seat by `constants.SCORE_NAMES`; 0 for absent seats."""
    for j in range(min(c.MAX_PLAYERS, len(scores))):
        there = j < s.num_players
        scores[j, 0] = uploads(s, j) if there else 0
        scores[j, 1] = s.store[j] if there else 0
        scores[j, 2] = s.won[j] if there else 0


@njit
def margin(scores, num_players, seat):
    """How far a seat's Mission File is ahead: (filled points - those of the best other seat) / 6."""
    best = 0
    for j in range(num_players):
        if j != seat:
            best = max(best, int(scores[j, 0]))
    return (scores[seat, 0] - best) / c.POINTS


@njit
def other_rewards(scores, num_players, mode, out):
    """Write the reward "uploads": (filled points of the Mission File - mean of the other seats) / 6."""
    total = 0
    for j in range(num_players):
        total += scores[j, 0]
    for j in range(num_players):
        own = scores[j, 0]
        out[j] = (own - (total - own) / (num_players - 1)) / c.POINTS
