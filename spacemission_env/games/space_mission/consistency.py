"""Whether a state, read from a file or made by hand, holds together: ranges, rules, conservation."""

from __future__ import annotations

import numpy as np

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
    SPACE,
)


def inconsistency(s: np.record, t: np.record, num_players: int) -> str | None:
    """What is wrong with a state, or None: ranges, takes, conservation of tiles, cards and chips."""
    n = num_players
    hand = s.hand[:n]
    seats = range(n)
    checks = (
        ("num_players", s.num_players == n),
        ("player", 0 <= s.player < n and 0 <= s.start_player < n),
        ("start_player", t.start_player in (NOWHERE, s.start_player)),
        ("phase", 0 <= s.phase <= OVER and 0 <= s.over <= 2 and (s.phase == OVER) == (s.over > 0)),
        ("actions_left", (s.phase == ACTION) <= s.actions_left <= t.actions_per_turn),
        ("pick", s.phase in (ACTION, OVER) or _may_pick(s)),
        ("seed", s.seed >= 0 and s.decisions >= 0 and s.shuffles >= 0),
        ("round", 1 <= s.round_number <= t.max_rounds),
        ("ring", len(set(s.ring.tolist())) == RING and s.ring.min() >= 0 and s.ring.max() < PLANETS),
        ("station", s.station.min() >= NOWHERE and s.station.max() < n),
        ("ship", s.ship.min() >= NOWHERE and s.ship.max() < RING),
        ("taken", s.taken.min() >= 0 and s.taken.max() <= PILE),
        ("taken_by", s.taken_by.min() >= 0 and s.taken_by.max() < n),
        ("taken_kind", s.taken_kind.min() >= 0 and s.taken_kind.max() <= SPACE),
        ("looked", s.looked.min() >= NOWHERE and (s.looked <= s.taken).all()),
        ("pile", s.pile.min() >= 0 and ((s.pile.sum(1) + s.taken) == PILE).all()),
        (
            "hand_size",
            s.hand_size.min() >= 0 and s.hand_size.max() <= t.hand_size and not s.hand_size[n:].any(),
        ),
        ("draw", 0 <= s.draw_size <= CARDS and s.draw.min() >= 0 and s.draw.max() < CARDS),
        ("discard", s.discard.min() >= 0 and s.discard.sum() == s.discard_size),
        (
            "hand",
            all(
                (np.diff(h[:k]) >= 0).all()
                and (h[k:] == NOWHERE).all()
                and (h[:k] >= 0).all()
                and (h[:k] < CARDS).all()
                for h, k in zip(hand, s.hand_size, strict=False)
            ),
        ),
        ("rng", bool(s.rng[:5].any())),
        ("scanned", s.scanned.min() >= 0 and s.scanned.max() <= 1),
        ("looked_round", s.looked_round.min() >= 0 and s.looked_round.max() <= s.round_number),
        ("last_round", s.last_round == (s.revealed >= t.space_tiles_to_end[n])),
        (
            "absent seats",
            not any(s[name][n:].any() for name in ("supply", "gate", "tiles", "reserved", "took", "older")),
        ),
        (
            "hand_epoch",
            0 <= s.epochs <= min(s.shuffles, EPOCHS)
            and all(_epochs_fit(s, j) for j in range(MAX_PLAYERS))
            and not s.epoch_cards[s.epochs :].any(),
        ),
        ("epoch_cards", all(s.epoch_cards[e, j] == _of_epoch(s, e, j) for e in range(EPOCHS) for j in seats)),
        ("epoch_size", (s.epoch_size == s.epoch_cards.sum(1)).all()),
        ("older", all(s.older[j] == _older(s, j) for j in seats)),
        ("took", all(s.took[j, p] == _took(s, j, p) for j in range(n) for p in range(RING))),
        ("salt", s.salt >= 0 and s.forgotten in (0, 1)),
        ("last_kind", s.last_kind.min() >= NOWHERE and s.last_kind.max() < ACTION_KINDS),
        ("last_cards", s.last_cards.min() >= 0 and s.last_cards.max() <= t.hand_size),
        ("last_from", s.last_from.min() >= NOWHERE and s.last_from.max() < RING),
        (
            "face_up",
            ((s.face_up == 0) | (s.pile[:, :SPACE].sum(1) == 0)).all() and set(s.face_up.tolist()) <= {0, 1},
        ),
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
    p = int(s.ship[s.player]) if 0 <= s.player < MAX_PLAYERS else NOWHERE
    if not 0 <= p < RING or s.face_up[p] or not s.pile[p, :SPACE].any():
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
    if s.supply.min() < 0 or s.gate.min() < 0 or (chips != t.chips_per_player).any():
        return "chips are not those of the box"
    return None
