"""Checks whether a state, read from a file or made by hand, holds together: ranges, rules, conservation."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.ranges import Range, range_problem
from spacemission_env.games.space_mission.engine.constants import (
    ACTION,
    ACTION_KINDS,
    CARDS,
    EPOCHS,
    KIND_NAMES,
    MAX_PLAYERS,
    NEW,
    NOWHERE,
    OVER,
    PICK_RESERVE,
    PILE,
    PLANETS,
    RING,
    SLOTS,
    SPACE,
)

MOST_CHIPS = 100  # of a player, by the options
# Lowest and highest number of fields; `inconsistency` narrows what depends on options and players.
RANGES: dict[str, Range] = {
    "phase": (ACTION, OVER),
    "last_round": (0, 1),
    "shuffles": (0, 2**31 - 2**16),
    "ring": (0, PLANETS - 1),
    "pile": (0, PILE),
    "face_up": (0, 1),
    "station": (NOWHERE, MAX_PLAYERS - 1),
    "scanned": (0, 1),
    "taken": (0, PILE),
    "taken_kind": (0, SPACE),
    "taken_by": (0, MAX_PLAYERS - 1),
    "looked": (NOWHERE, PILE),
    "looked_round": (0, 2**15 - 1),
    "ship": (NOWHERE, RING - 1),
    "supply": (0, MOST_CHIPS),
    "gate": (0, MOST_CHIPS),
    "hand": (NOWHERE, CARDS - 1),
    "hand_size": (0, SLOTS),
    "draw": (0, CARDS - 1),
    "draw_size": (0, CARDS),
    "discard": (0, CARDS),
    "epochs": (0, EPOCHS),
    "forgotten": (0, 1),
    "last_kind": (NOWHERE, ACTION_KINDS - 1),
    "last_cards": (0, SLOTS),
    "last_from": (NOWHERE, RING - 1),
}


def inconsistency(s: np.record, t: np.record, num_players: int) -> str | None:
    """What is wrong with a state, or None: ranges, takes, conservation of tiles, cards and chips."""
    n = num_players
    problem = range_problem(s, n, RANGES)
    if problem:
        return problem
    hand = s.hand[:n]
    seats = range(n)
    checks = (
        ("start_player", t.start_player in (NOWHERE, s.start_player)),
        ("phase", (s.phase == OVER) == (s.over > 0)),
        ("actions_left", (s.phase == ACTION) <= s.actions_left <= t.actions_per_turn),
        ("pick", s.phase in (ACTION, OVER) or _may_pick(s)),
        ("round_number", s.round_number <= t.max_rounds),
        ("ring", len(set(s.ring.tolist())) == RING),
        ("station", s.station.max() < n),
        ("taken_by", s.taken_by.max() < n),
        ("looked", (s.looked <= s.taken).all()),
        ("pile", ((s.pile.sum(1) + s.taken) == PILE).all()),
        ("hand_size", s.hand_size.max() <= t.hand_size and not s.hand_size[n:].any()),
        ("discard", s.discard.sum() == s.discard_size),
        (
            "hand",
            all(
                (np.diff(h[:k]) >= 0).all() and (h[k:] == NOWHERE).all() and (h[:k] >= 0).all()
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
            and all(_epochs_fit(s, j) for j in range(MAX_PLAYERS))
            and not s.epoch_cards[s.epochs :].any(),
        ),
        ("epoch_cards", all(s.epoch_cards[e, j] == _of_epoch(s, e, j) for e in range(EPOCHS) for j in seats)),
        ("epoch_size", (s.epoch_size == s.epoch_cards.sum(1)).all()),
        ("older", all(s.older[j] == _older(s, j) for j in seats)),
        ("took", all(s.took[j, p] == _took(s, j, p) for j in range(n) for p in range(RING))),
        ("last_cards", s.last_cards.max() <= t.hand_size),
        ("face_up", ((s.face_up == 0) | (s.pile[:, :SPACE].sum(1) == 0)).all()),
        ("revealed", s.revealed == s.pile[s.face_up == 1, SPACE].sum()),
    )
    for name, holds in checks:
        if not holds:
            return f"{name} does not hold"
    return _wrongly_taken(s, t) or _not_conserved(s, t, n)


def _taken(s: np.record) -> list[tuple[int, int, int, int]]:
    """Every tile taken: ring position, its place in the order of takes there, by whom, kind."""
    return [
        (p, i, int(s.taken_by[p, i]), int(s.taken_kind[p, i])) for p in range(RING) for i in range(s.taken[p])
    ]


def _wrongly_taken(s: np.record, t: np.record) -> str | None:
    for p in range(RING):
        # SM-46: only while a point tile is left does a pile that somebody took from lie face down.
        if not _closed(s, p) and s.taken[p] and not s.pile[p, :SPACE].any():
            return f"pile {p}: only space tiles are left, but they lie face down"
    for p, i, j, kind in _taken(s):
        if s.looked[j, p] <= i:
            return f"looked: player_{j} took tile {i} of pile {p} without looking"
        if kind == SPACE and not t.space_tile_penalty:
            return f"taken_kind: a space tile was taken from pile {p} (SM-66)"
        if kind == SPACE and _closed(s, p) and i == s.taken[p] - 1:
            return f"taken_kind: pile {p} was closed by a space tile (SM-46)"
    return None


def _closed(s: np.record, p: int) -> bool:
    """Nothing lies face down any more."""
    return bool(s.face_up[p] == 1 or s.taken[p] == PILE)


def _epochs_fit(s: np.record, j: int) -> bool:
    used, empty = s.hand_epoch[j, : s.hand_size[j]], s.hand_epoch[j, s.hand_size[j] :]
    return bool((((used >= 0) & (used < s.epochs)) | (used == NEW)).all() and (empty == NOWHERE).all())


def _of_epoch(s: np.record, epoch: int, j: int) -> int:
    return int((s.hand_epoch[j] == epoch).sum())


def _older(s: np.record, j: int) -> int:
    return sum(1 << i for i, epoch in enumerate(s.hand_epoch[j]) if epoch not in (NEW, NOWHERE))


def _took(s: np.record, j: int, p: int) -> int:
    return int((s.taken_by[p, : s.taken[p]] == j).sum())


def _may_pick(s: np.record) -> bool:
    p = int(s.ship[s.player])
    if p == NOWHERE or s.face_up[p] or not s.pile[p, :SPACE].any():
        return False
    if s.phase == PICK_RESERVE and s.supply[s.player] < 1:  # SM-31: the tile gets a probe
        return False
    return (s.station[p] == NOWHERE) == (s.phase == PICK_RESERVE) and s.looked[s.player, p] == s.taken[p]


def _not_conserved(s: np.record, t: np.record, n: int) -> str | None:
    tiles = np.zeros((MAX_PLAYERS, len(KIND_NAMES)), np.int64)
    reserved = np.zeros((MAX_PLAYERS, RING), np.int64)
    total = s.pile.sum(0, dtype=np.int64)
    for p, _, j, kind in _taken(s):
        total[kind] += 1
        if s.station[p] == NOWHERE:
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
