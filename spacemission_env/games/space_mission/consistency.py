"""Checks a state: fields must be in range, and no piece may be missing."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.layout import Range, range_problem
from spacemission_env.games.space_mission.engine import constants as c

MOST_CHIPS = 100  # maximum number of chips of one player
# Lowest and highest value of each field; `inconsistency` checks limits that depend on options and players.
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
    "last_kind": (c.NOWHERE, c.ACTION_KINDS - 1),
    "last_cards": (0, c.SLOTS),
    "last_from": (c.NOWHERE, c.RING - 1),
    "looked_by": (c.NOWHERE, c.ACTION_KINDS - 1),
}


def state_problem(s: np.record, t: np.record, num_players: int) -> str | None:
    """Why a state is not consistent, or why its number of decisions does not fit its round; or None."""
    turns = (int(s.round_number) - 1) * num_players + int(s.player - s.start_player) % num_players
    actions = (turns + 1) * int(t.actions_per_turn) - int(s.actions_left)
    made = actions + s.taken.sum(dtype=np.int64)  # each tile pick is a decision too
    return inconsistency(s, t, num_players) or (None if s.decisions == made else "decisions does not hold")


def inconsistency(s: np.record, t: np.record, num_players: int) -> str | None:
    """Why a state is not consistent, or None; play cannot reach every consistent state."""
    n = num_players
    problem = range_problem(s, n, RANGES)
    if problem:
        return problem
    hand, hand_epoch, epochs = s.hand[:n], s.hand_epoch[:n], range(c.EPOCHS)
    kept = (hand_epoch != c.NEW) & (hand_epoch != c.NOWHERE)  # cards older than the draw pile
    checks = (
        ("start_player", t.start_player in (c.NOWHERE, s.start_player)),
        ("phase", (s.phase == c.OVER) == (s.over > 0)),
        ("actions_left", (s.phase == c.ACTION) <= s.actions_left <= t.actions_per_turn),
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
                _sorted(h[:k]) and (h[k:] == c.NOWHERE).all() for h, k in zip(hand, s.hand_size, strict=False)
            ),
        ),
        ("last_round", s.last_round == (s.revealed >= t.space_tiles_to_end[n])),
        ("hand_epoch", s.epochs <= s.shuffles and all(_epochs_fit(s, j) for j in range(c.MAX_PLAYERS))),
        ("epoch_cards", all((s.epoch_cards[e, :n] == (hand_epoch == e).sum(1)).all() for e in epochs)),
        ("epoch_size", (s.epoch_size == s.epoch_cards.sum(1)).all()),
        ("older", (s.older[:n] == (kept << np.arange(c.SLOTS)).sum(1)).all()),
        ("face_up", ((s.face_up == 0) | (s.pile[:, : c.SPACE].sum(1) == 0)).all()),
        ("revealed", s.revealed == s.pile[s.face_up == 1, c.SPACE].sum()),
    )
    wrong = next((f"{name} does not hold" for name, holds in checks if not holds), None)
    return wrong or _not_conserved(s, t, n)


def _ring_fits(s: np.record, t: np.record) -> bool:
    laid = s.ring[: t.ring_size].tolist()
    beyond = (s.ring[t.ring_size :] == c.NO_PLANET).all() and s.ship.max() < t.ring_size
    return bool(beyond and len(set(laid)) == len(laid) and max(laid) < t.planet_count)


def _sorted(cards: np.ndarray) -> bool:
    return bool((np.diff(cards) >= 0).all() and (cards >= 0).all())


def _epochs_fit(s: np.record, j: int) -> bool:
    used, empty = s.hand_epoch[j, : s.hand_size[j]], s.hand_epoch[j, s.hand_size[j] :]
    return bool((((used >= 0) & (used < s.epochs)) | (used == c.NEW)).all() and (empty == c.NOWHERE).all())


def _not_conserved(s: np.record, t: np.record, n: int) -> str | None:
    tiles = np.zeros((c.MAX_PLAYERS, len(c.KIND_NAMES)), np.int64)
    reserved = np.zeros((c.MAX_PLAYERS, c.RING), np.int64)
    total = s.pile.sum(0, dtype=np.int64)
    for p in range(c.RING):
        for j, kind in zip(s.taken_by[p, : s.taken[p]], s.taken_kind[p, : s.taken[p]], strict=True):
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
