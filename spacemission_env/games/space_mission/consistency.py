"""Checks whether a state is consistent and whether play can reach it."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import FINISHED, RUNNING
from spacemission_env.core.layout import Range, range_problem
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.rules import CARDS_OF, KIND_OF

MOST_CHIPS = 100  # maximum number of chips of one player
# Lowest and highest value of each field; `inconsistency` also checks limits by options and players.
RANGES: dict[str, Range] = {
    "phase": (c.ACTION, c.OVER),
    "last_round": (0, 1),
    "shuffles": (0, 2**31 - 2**16),
    "ring": (0, c.NO_PLANET),
    "pile": (0, c.PILE),
    "face_up": (0, 1),
    "station": (c.NOWHERE, c.MAX_PLAYERS - 1),
    "scanned": (0, 1),
    "taken": (0, c.PILE),
    "taken_kind": (0, c.SPACE),
    "taken_by": (0, c.MAX_PLAYERS - 1),
    "looked": (c.NOWHERE, c.PILE),
    "looked_round": (0, 2**15 - 1),
    "ship": (c.NOWHERE, c.RING - 1),
    "supply": (0, MOST_CHIPS),
    "gate": (0, MOST_CHIPS),
    "hand": (c.NOWHERE, c.CARDS - 1),
    "hand_size": (0, c.SLOTS),
    "draw": (0, c.CARDS - 1),
    "draw_size": (0, c.CARDS),
    "discard": (0, c.CARDS),
    "epochs": (0, c.EPOCHS),
    "forgotten": (0, 1),
    "last_kind": (c.NOWHERE, c.ACTION_KINDS - 1),
    "last_cards": (0, c.SLOTS),
    "last_from": (c.NOWHERE, c.RING - 1),
    "looked_by": (c.NOWHERE, c.ACTION_KINDS - 1),
}


def inconsistency(s: np.record, t: np.record, num_players: int) -> str | None:
    """Why a state is inconsistent (ranges, taken tiles, numbers of pieces), or None."""
    n = num_players
    problem = range_problem(s, n, RANGES)
    if problem:
        return problem
    hand, hand_epoch = s.hand[:n], s.hand_epoch[:n]
    seats, ring, epochs = range(n), range(t.ring_size), range(c.EPOCHS)
    kept = (hand_epoch != c.NEW) & (hand_epoch != c.NOWHERE)  # cards older than the draw pile
    checks = (
        ("start_player", t.start_player in (c.NOWHERE, s.start_player)),
        ("phase", (s.phase == c.OVER) == (s.over > 0)),
        ("actions_left", (s.phase == c.ACTION) <= s.actions_left <= t.actions_per_turn),
        ("pick", s.phase in (c.ACTION, c.OVER) or _may_pick(s)),
        ("round_number", s.round_number <= t.max_rounds),
        ("ring", _ring_fits(s, t)),
        ("station", s.station.max() < n),
        ("taken_by", s.taken_by.max() < n),
        ("looked", (s.looked <= s.taken).all()),
        ("pile", ((s.pile.sum(1) + s.taken) == np.where(s.ring < c.NO_PLANET, t.pile_size, 0)).all()),
        ("hand_size", s.hand_size.max() <= t.hand_size and not s.hand_size[n:].any()),
        ("discard", s.discard.sum() == s.discard_size),
        (
            "hand",
            all(
                (np.diff(h[:k]) >= 0).all() and (h[k:] == c.NOWHERE).all() and (h[:k] >= 0).all()
                for h, k in zip(hand, s.hand_size, strict=False)
            ),
        ),
        ("looked_round", s.looked_round.max() <= s.round_number),
        ("last_round", s.last_round == (s.revealed >= t.space_tiles_to_end[n])),
        (
            "absent seats",
            not any(s[name][n:].any() for name in ("supply", "gate", "tiles", "reserved", "took", "older")),
        ),
        (
            "hand_epoch",
            s.epochs <= s.shuffles
            and all(_epochs_fit(s, j) for j in range(c.MAX_PLAYERS))
            and not s.epoch_cards[s.epochs :].any(),
        ),
        ("epoch_cards", all((s.epoch_cards[e, :n] == (hand_epoch == e).sum(1)).all() for e in epochs)),
        ("epoch_size", (s.epoch_size == s.epoch_cards.sum(1)).all()),
        ("older", (s.older[:n] == (kept << np.arange(c.SLOTS)).sum(1)).all()),
        ("took", all(s.took[j, p] == (s.taken_by[p, : s.taken[p]] == j).sum() for j in seats for p in ring)),
        ("last_cards", s.last_cards.max() <= t.hand_size),
        ("face_up", ((s.face_up == 0) | (s.pile[:, : c.SPACE].sum(1) == 0)).all()),
        ("revealed", s.revealed == s.pile[s.face_up == 1, c.SPACE].sum()),
    )
    for name, holds in checks:
        if not holds:
            return f"{name} does not hold"
    return _wrongly_taken(s, t) or _not_conserved(s, t, n)


def _taken(s: np.record) -> list[tuple[int, int, int, int]]:
    """All taken tiles: ring position, place in the order of taking there, seat, kind."""
    return [
        (p, i, int(s.taken_by[p, i]), int(s.taken_kind[p, i]))
        for p in range(c.RING)
        for i in range(s.taken[p])
    ]


def _wrongly_taken(s: np.record, t: np.record) -> str | None:
    for p in range(c.RING):
        # SM-46: a pile from which a seat took a tile lies face down only while a point tile is left.
        if not _closed(s, t, p) and s.taken[p] and not s.pile[p, : c.SPACE].any():
            return f"pile {p}: only space tiles are left, but they lie face down"
    for p, i, j, kind in _taken(s):
        if s.looked[j, p] <= i:
            return f"looked: player_{j} took tile {i} of pile {p} without looking"
        if kind == c.SPACE and not t.space_tile_penalty:
            return f"taken_kind: a space tile was taken from pile {p} (SM-66)"
        if kind == c.SPACE and _closed(s, t, p) and i == s.taken[p] - 1:
            return f"taken_kind: pile {p} was closed by a space tile (SM-46)"
    return None


def _ring_fits(s: np.record, t: np.record) -> bool:
    laid = s.ring[: t.ring_size].tolist()
    beyond = (s.ring[t.ring_size :] == c.NO_PLANET).all() and s.ship.max() < t.ring_size
    return bool(beyond and len(set(laid)) == len(laid) and max(laid) < t.planet_count)


def _closed(s: np.record, t: np.record, p: int) -> bool:
    return bool(s.face_up[p] == 1 or s.taken[p] == t.pile_size)


def _epochs_fit(s: np.record, j: int) -> bool:
    used, empty = s.hand_epoch[j, : s.hand_size[j]], s.hand_epoch[j, s.hand_size[j] :]
    return bool((((used >= 0) & (used < s.epochs)) | (used == c.NEW)).all() and (empty == c.NOWHERE).all())


def _may_pick(s: np.record) -> bool:
    p = int(s.ship[s.player])
    if p == c.NOWHERE or s.face_up[p] or not s.pile[p, : c.SPACE].any():
        return False
    if s.phase == c.PICK_RESERVE and s.supply[s.player] < 1:  # SM-31: the tile gets a probe
        return False
    return (s.station[p] == c.NOWHERE) == (s.phase == c.PICK_RESERVE) and s.looked[s.player, p] == s.taken[p]


def _not_conserved(s: np.record, t: np.record, n: int) -> str | None:
    tiles = np.zeros((c.MAX_PLAYERS, len(c.KIND_NAMES)), np.int64)
    reserved = np.zeros((c.MAX_PLAYERS, c.RING), np.int64)
    total = s.pile.sum(0, dtype=np.int64)
    for p, _, j, kind in _taken(s):
        total[kind] += 1
        if s.station[p] == c.NOWHERE:
            reserved[j, p] += 1
        else:
            tiles[j, kind] += 1
    if (total != t.tile_count).any():
        return "tiles are not those of the box"
    if (tiles != s.tiles).any() or (reserved != s.reserved).any():
        return "tiles of the players do not follow from what they took"
    cards = s.discard.astype(np.int64)
    for face in s.draw[: s.draw_size]:
        cards[face] += 1
    for j in range(n):
        for face in s.hand[j, : s.hand_size[j]]:
            cards[face] += 1
    if (cards != t.copies).any():
        return "cards are not those of the box"
    stations = np.array([(s.station == j).sum() for j in range(n)])
    chips = s.supply[:n] + s.gate[:n] + stations + s.reserved.sum(1)[:n]
    if (chips != t.chips_per_player).any():
        return "chips are not those of the box"
    return None


# The lowest and highest number of cards that each of the six actions uses.
CARDS_PLAYED = [
    (int(CARDS_OF[kind == KIND_OF].min()), int(CARDS_OF[kind == KIND_OF].max()))
    for kind in range(c.ACTION_KINDS)
]
# The kind of action that led to each phase.
PICKED_AFTER = {c.PICK_RESERVE: 3, c.PICK_DEVELOP: 4, c.PICK_DISCOVER: 5}
BLANK = {
    "ship": c.NOWHERE,
    "hand": c.NOWHERE,
    "looked": c.NOWHERE,
    "last_kind": c.NOWHERE,
    "last_from": c.NOWHERE,
    "looked_by": c.NOWHERE,
}
# Fields by seat; absent seats have 0 unless `BLANK` names another value.
OWN = (*BLANK, "scanned", "looked_round", "last_cards")


def impossible(s: np.record, t: np.record, num_players: int) -> str | None:
    """Why play cannot reach this state, or None; call this if `inconsistency` found nothing."""
    n = num_players
    for name in OWN:
        if (s[name][n:] != BLANK.get(name, 0)).any():
            return f"{name} of an absent seat does not hold"
    turns = int(s.player - s.start_player) % n  # earlier in this round
    each, rounds = int(t.actions_per_turn), int(s.round_number) - 1
    actions = (rounds * n + turns + 1) * each - int(s.actions_left)
    checks = (
        ("over", _ends_here(s, t, turns == n - 1)),
        ("actions_left", s.phase in (c.ACTION, c.OVER) or s.actions_left < t.actions_per_turn),
        ("decisions", s.decisions == actions + s.taken.sum(dtype=np.int64)),
        ("shuffles", s.shuffles <= s.decisions),
        ("draw_size", s.draw_size > 0 or not s.discard_size),  # SM-23: shuffled at once after the last card
        ("gate", all((s.ship[j] == c.NOWHERE) == (s.gate[j] == 0) for j in range(n))),  # SM-24
        ("last_from", all(s.ship[j] != c.NOWHERE or s.last_from[j] == c.NOWHERE for j in range(n))),
        ("taken_kind", not any(s.taken_kind[p, s.taken[p] :].any() for p in range(c.RING))),
        ("taken_by", not any(s.taken_by[p, s.taken[p] :].any() for p in range(c.RING))),
    )
    for name, holds in checks:
        if not holds:
            return f"{name} does not hold"
    for p in range(c.RING):
        problem = _wrong_pile(s, t, p)
        if problem:
            return f"pile {p}: {problem}"
    for j in range(n):
        problem = _wrong_actions(s, t, j, turns) or next(
            filter(None, (_wrong_look(s, t, j, p) for p in range(c.RING))), None
        )
        if problem:
            return f"player_{j}: {problem}"
    return None


def _ends_here(s: np.record, t: np.record, last_turn: bool) -> bool:
    if s.over == RUNNING:
        return bool(s.actions_left > 0 or s.phase != c.ACTION)
    if not last_turn or s.actions_left:
        return False
    return bool(
        s.last_round == 1 if s.over == FINISHED else s.last_round == 0 and s.round_number == t.max_rounds
    )


def _wrong_pile(s: np.record, t: np.record, p: int) -> str | None:
    seen = s.taken[p] > 0 or (s.looked[:, p] != c.NOWHERE).any()
    if s.face_up[p] and not (s.pile[p, c.SPACE] and seen):
        return "face_up does not hold"
    if seen and not s.face_up[p] and s.taken[p] < t.pile_size and not s.pile[p, : c.SPACE].any():
        return "only space tiles are left, but they lie face down"  # SM-34, SM-46
    return None


def _wrong_actions(s: np.record, t: np.record, j: int, turns: int) -> str | None:
    """Check the last actions of a seat: their number and the cards that each uses."""
    place = (j - s.start_player) % s.num_players
    made = (int(s.round_number) - 1 + (place < turns)) * int(t.actions_per_turn)
    if place == turns:
        made += t.actions_per_turn - s.actions_left
    for i in range(c.LAST_ACTIONS):
        kind, cards = int(s.last_kind[j, i]), int(s.last_cards[j, i])
        if kind == c.NOWHERE:
            if cards or (i < made and not s.forgotten):
                return "last_kind does not hold"
            continue
        low, high = CARDS_PLAYED[kind]
        if i >= made or not low <= cards <= high or (i and s.last_kind[j, i - 1] == c.NOWHERE):
            return "last_kind does not hold"
    if s.player == j and s.phase not in (c.ACTION, c.OVER):
        kinds = (PICKED_AFTER[int(s.phase)], *[c.NOWHERE] * int(s.forgotten))
        if s.last_kind[j, 0] not in kinds:
            return "phase does not hold"
    return None


def _wrong_look(s: np.record, t: np.record, j: int, p: int) -> str | None:
    """Check looks, tiles and stations of a seat on a planet (SM-30 to SM-46, SM-71)."""
    looked, scanned, developed = int(s.looked[j, p]), s.scanned[j, p] == 1, s.station[p] != c.NOWHERE
    if (looked == c.NOWHERE) != (s.looked_round[j, p] == 0):
        return f"looked_round of pile {p} does not hold"
    if s.looked_by[j, p] not in (
        (c.NOWHERE, *PICKED_AFTER.values()) if looked != c.NOWHERE else (c.NOWHERE,)
    ):
        return f"looked_by of pile {p} does not hold"
    if not scanned and (s.station[p] == j or s.reserved[j, p] or (looked != c.NOWHERE and not developed)):
        return f"planet {p} was never scanned"
    if s.ship[j] == c.NOWHERE and (scanned or looked != c.NOWHERE):
        return f"planet {p} was scanned from the gate"
    closed = _closed(s, t, p)
    if looked == c.NOWHERE:
        return f"pile {p} was scanned without a look" if scanned and not (t.scan_face_up and closed) else None
    if s.player == j and s.phase not in (c.ACTION, c.OVER) and s.ship[j] == p:
        return None if s.looked_round[j, p] == s.round_number else f"looked_round of pile {p} does not hold"
    # A seat that looks takes a tile, and its last look is after that, unless all are space tiles (SM-34).
    if looked == 0:
        return None if s.face_up[p] and not s.taken[p] else f"looked at pile {p} does not hold"
    return None if s.taken_by[p, looked - 1] == j else f"looked at pile {p} does not hold"


def state_problem(s: np.record, t: np.record, num_players: int) -> str | None:
    """Why a saved state is inconsistent or cannot be reached, or None."""
    return inconsistency(s, t, num_players) or impossible(s, t, num_players)
