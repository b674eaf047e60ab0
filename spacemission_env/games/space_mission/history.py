"""Whether play by the rules comes to a state: what the table alone (consistency.py) does not tell.

A position laid by hand may stand anywhere in a game; a saved game must have been played. Sampled worlds
pass too: they differ from a game that was played only in what `forgotten` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_env.core.constants import FINISHED, RUNNING
from spacemission_env.games.space_mission.consistency import inconsistency
from spacemission_env.games.space_mission.engine.constants import (
    ACTION,
    ACTION_KINDS,
    LAST_ACTIONS,
    NOWHERE,
    OVER,
    PICK_DEVELOP,
    PICK_RESERVE,
    PILE,
    RING,
    SPACE,
)
from spacemission_env.games.space_mission.engine.rules import CARDS_OF, KIND_OF

# How many cards each of the six actions may take, fewest and most.
CARDS_PLAYED = [
    (int(CARDS_OF[kind == KIND_OF].min()), int(CARDS_OF[kind == KIND_OF].max()))
    for kind in range(ACTION_KINDS)
]
PICKED_AFTER = {PICK_RESERVE: 3, PICK_DEVELOP: 4, PICK_DEVELOP + 1: 5}  # phase: the kind of action before it
BLANK = {"ship": NOWHERE, "hand": NOWHERE, "looked": NOWHERE, "last_kind": NOWHERE, "last_from": NOWHERE}
OWN = (*BLANK, "scanned", "looked_round", "last_cards")  # fields by seat; 0 where `BLANK` says nothing


def impossible(s: np.record, t: np.record, num_players: int) -> str | None:
    """Why no game comes to this state, which holds together as a table (`inconsistency`), or None."""
    n = num_players
    for name in OWN:
        if (s[name][n:] != BLANK.get(name, 0)).any():
            return f"{name} of an absent seat does not hold"
    turns = (s.player - s.start_player) % n  # before this one, in this round
    actions = ((s.round_number - 1) * n + turns) * t.actions_per_turn + t.actions_per_turn - s.actions_left
    checks = (
        ("over", _ends_here(s, t, turns == n - 1)),
        ("actions_left", s.phase in (ACTION, OVER) or s.actions_left < t.actions_per_turn),
        ("decisions", s.decisions == actions + s.taken.sum(dtype=np.int64)),
        ("shuffles", s.shuffles <= s.decisions),
        ("draw_size", s.draw_size > 0),  # at the last card the discard pile is shuffled at once (SM-23)
        ("gate", all((s.ship[j] == NOWHERE) == (s.gate[j] == 0) for j in range(n))),  # SM-24
        ("last_from", all(s.ship[j] != NOWHERE or s.last_from[j] == NOWHERE for j in range(n))),
        ("taken_kind", not any(s.taken_kind[p, s.taken[p] :].any() for p in range(RING))),
        ("taken_by", not any(s.taken_by[p, s.taken[p] :].any() for p in range(RING))),
    )
    for name, holds in checks:
        if not holds:
            return f"{name} does not hold"
    for p in range(RING):
        problem = _wrong_pile(s, p)
        if problem:
            return f"pile {p}: {problem}"
    for j in range(n):
        problem = _wrong_actions(s, t, j, turns) or next(
            filter(None, (_wrong_look(s, t, j, p) for p in range(RING))), None
        )
        if problem:
            return f"player_{j}: {problem}"
    return None


def _ends_here(s: np.record, t: np.record, last_turn: bool) -> bool:
    if s.over == RUNNING:
        return bool(s.actions_left > 0 or s.phase != ACTION)
    if not last_turn or s.actions_left:
        return False
    return bool(
        s.last_round == 1 if s.over == FINISHED else s.last_round == 0 and s.round_number == t.max_rounds
    )


def _wrong_pile(s: np.record, p: int) -> str | None:
    seen = s.taken[p] > 0 or (s.looked[:, p] != NOWHERE).any()
    if s.face_up[p] and not (s.pile[p, SPACE] and seen):
        return "face_up does not hold"
    if seen and not s.face_up[p] and s.taken[p] < PILE and not s.pile[p, :SPACE].any():
        return "only space tiles are left, but they lie face down"  # SM-34, SM-46
    return None


def _wrong_actions(s: np.record, t: np.record, j: int, turns: int) -> str | None:
    """The last actions of a seat: as many as it has made, each with as many cards as it takes."""
    place = (j - s.start_player) % s.num_players
    made = (s.round_number - 1 + (place < turns)) * t.actions_per_turn
    if place == turns:
        made += t.actions_per_turn - s.actions_left
    for i in range(LAST_ACTIONS):
        kind, cards = int(s.last_kind[j, i]), int(s.last_cards[j, i])
        if kind == NOWHERE:
            if cards or (i < made and not s.forgotten):
                return "last_kind does not hold"
            continue
        low, high = CARDS_PLAYED[kind]
        if i >= made or not low <= cards <= high or (i and s.last_kind[j, i - 1] == NOWHERE):
            return "last_kind does not hold"
    if s.player == j and s.phase not in (ACTION, OVER):
        kinds = (PICKED_AFTER[int(s.phase)], *[NOWHERE] * int(s.forgotten))
        if s.last_kind[j, 0] not in kinds:
            return "phase does not hold"
    return None


def _wrong_look(s: np.record, t: np.record, j: int, p: int) -> str | None:
    """What a seat has seen and done on a planet (SM-30 to SM-46, SM-71)."""
    looked, scanned, developed = int(s.looked[j, p]), s.scanned[j, p] == 1, s.station[p] != NOWHERE
    if (looked == NOWHERE) != (s.looked_round[j, p] == 0):
        return f"looked_round of pile {p} does not hold"
    if not scanned and (s.station[p] == j or s.reserved[j, p] or (looked != NOWHERE and not developed)):
        return f"planet {p} was never scanned"
    if s.ship[j] == NOWHERE and (scanned or looked != NOWHERE):
        return f"planet {p} was scanned from the gate"
    closed = s.face_up[p] or s.taken[p] == PILE
    if looked == NOWHERE:
        return f"pile {p} was scanned without a look" if scanned and not (t.scan_face_up and closed) else None
    if s.player == j and s.phase not in (ACTION, OVER) and s.ship[j] == p:
        return None if s.looked_round[j, p] == s.round_number else f"looked_round of pile {p} does not hold"
    # Whoever looks takes a tile, and has looked last after that; but where all are space tiles (SM-34).
    if looked == 0:
        return None if s.face_up[p] and not s.taken[p] else f"looked at pile {p} does not hold"
    return None if s.taken_by[p, looked - 1] == j else f"looked at pile {p} does not hold"


def state_problem(s: Any, t: Any, num_players: int) -> str | None:
    """What of a state that was read does not hold together, or cannot have come about; None: it holds."""
    return inconsistency(s, t, num_players) or impossible(s, t, num_players)
