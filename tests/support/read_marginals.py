"""Computes expected hidden tiles and cards from an observation, the box and the options.

SM-74: the mean number of each kind in each hidden place is a function of the perfect-recall observation. This
is that function in plain Python (`tests/oracle/pools.py`), without the state. Card ids must be distinct.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import SupportsFloat

import numpy as np

from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import Components
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES, PILE, RING, SPACE
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_env.games.space_mission.options import Rules
from tests.oracle.pools import Group, Pool

Means = dict[str, float]


class Marginals:
    """The means for a seat, in absolute seats; `tiles()` and `cards()` have the tracker's form."""

    def __init__(self, observation: np.ndarray, seat: int, components: Components, rules: Rules) -> None:
        self.observation, self.seat, self.components, self.rules = observation, seat, components, rules
        self.n = 2 + int(self("num_players").argmax())
        self.left = self("tiles_left", PILE)
        self.face_up = self("face_up", PILE)
        self.seen = self("seen")[0] == 1
        self.left_then = self("remembered", PILE)
        self.gone = self("gone_since", PILE)
        self.taken = self("taken", PILE)  # relative seats
        self.known = self.observation[LAYOUT["taken_kinds"].slice].reshape(-1, RING, SPACE + 1) * PILE
        ships, mover = self("ships"), self("player_to_act")
        picking = self("phase")[1:4].any()
        self.looked_at = [bool(picking and (mover @ ships)[p]) for p in range(RING)]

    def __call__(self, name: str, unit: float = 1) -> np.ndarray:
        piece = LAYOUT[name]
        return np.rint(self.observation[piece.slice].reshape(piece.shape) * unit).astype(int)

    def closed(self, p: int) -> bool:
        return bool(self.face_up[p]) or self.left[p] == 0

    def since(self, p: int) -> np.ndarray:
        """The mean number of each kind among tiles gone since the last look."""
        then, gone = self.left_then[p], int(self.gone[p])
        out = np.zeros(SPACE + 1)
        if not self.seen[p] or gone == 0:
            return out
        if self.closed(p):
            out[:] = then
            out[SPACE] -= self.face_up[p]
            return out
        points = then[:SPACE].sum()
        groups = [Group("gone", gone, gone if self.rules.space_tile_penalty else 0)]
        groups.append(
            Group("left", int(then.sum()) - gone, min(int(then[SPACE]), int(then.sum()) - gone - 1))
        )
        found = Pool(names(then), groups).expected()["gone"]
        assert points > 0
        return np.array([float(found.get(name, 0)) for name in KIND_NAMES])

    def pool(self) -> Counter[str]:
        """The pool of unseen tiles, by elimination."""
        unseen = np.array(self.components.tiles) - self("tiles", 1) * 0
        unseen = unseen - np.rint(self.observation[LAYOUT["tiles"].slice] * np.array(self.components.tiles))
        unseen = unseen - self("reserved_kinds", PILE).sum(0)
        between = self.known.sum((0, 1))
        for p in range(RING):
            between = between - self.since(p)
            if self.seen[p]:
                unseen = unseen - self.left_then[p]
            else:
                unseen[SPACE] -= self.face_up[p]
        assert np.abs(between - np.rint(between)).max() < 1e-3
        return names(np.rint(unseen - np.rint(between)).astype(int))

    def tiles(self) -> Json:
        groups = []
        last = self("last_taken").argmax(0)
        for p in range(RING):
            for k in range(1, self.n):
                unseen = round(float(self.taken[k, p] - self.known[k - 1, p].sum()))
                free = unseen if self.rules.space_tile_penalty else 0
                if free and self.closed(p) and not self.seen[p] and last[p] == k:
                    groups.append(Group((p, k, "last"), 1, 0))
                    unseen, free = unseen - 1, free - 1
                groups.append(Group((p, k), unseen, free))
            if not self.seen[p] and not self.face_up[p]:
                size = int(self.left[p])
                touched = size < PILE or self.looked_at[p]
                groups.append(Group((p, "pile"), size, max(0, size - 1) if touched else size))
        means = {label: plain(kinds) for label, kinds in Pool(self.pool(), groups).expected().items()}
        piles = []
        taken: list[list[Means]] = [[{} for _ in range(RING)] for _ in range(self.n)]
        for p in range(RING):
            if self.seen[p]:
                piles.append(by_name(self.left_then[p] - self.since(p)))
            else:
                piles.append({"space": float(self.face_up[p])} if self.face_up[p] else means[p, "pile"])
            for k in range(1, self.n):
                parts = [means[p, k], means.get((p, k, "last"), {}), by_name(self.known[k - 1, p])]
                taken[(self.seat + k) % self.n][p] = add(parts)
        return {"piles": piles, "taken": taken}

    def cards(self) -> Json:
        """The probability of each card in each other hand and in the draw pile (distinct ids)."""
        ids = [card.id for card in self.components.cards]
        kept = self.observation[LAYOUT["kept_by"].slice].reshape(-1, len(ids))
        own = {face.tobytes() for face in self("hand") if face.any()}
        hidden = []
        for c, card in enumerate(self.components.cards):
            face = np.zeros((3, 5), int)
            for colour, values in enumerate((card.jump, card.scan, card.landing)):
                for value in values:
                    face[colour, value - 1] = 1
            if not self("discard")[c] and face.tobytes() not in own and kept[:, c].sum() < 0.5:
                hidden.append(c)
        sizes, draw = self("hand_size", 5), int(self("draw_pile_size", 60)[0])
        hands: list[Means] = [{} for _ in range(self.n)]
        for k in range(1, self.n):
            hand = {ids[c]: float(kept[k - 1, c]) for c in range(len(ids)) if kept[k - 1, c] > 0}
            fresh = sizes[k] - sum(hand.values())
            if fresh > 1e-3:
                hand.update({ids[c]: fresh / len(hidden) for c in hidden})
            hands[(self.seat + k) % self.n] = hand
        return {"hands": hands, "draw": {ids[c]: draw / len(hidden) for c in hidden} if draw else {}}


def names(counts: np.ndarray) -> Counter[str]:
    return Counter({name: int(count) for name, count in zip(KIND_NAMES, counts, strict=True) if count})


def by_name(means: np.ndarray) -> Means:
    return {name: float(mean) for name, mean in zip(KIND_NAMES, means, strict=True) if mean > 1e-6}


def plain(kinds: dict[str, Fraction]) -> Means:
    return {kind: float(mean) for kind, mean in kinds.items()}


def add(parts: list[Means]) -> Means:
    total: Means = {}
    for part in parts:
        for kind, mean in part.items():
            total[kind] = total.get(kind, 0.0) + mean
    return total


def differ(
    found: Mapping[str, SupportsFloat], expected: Mapping[str, SupportsFloat], off: float = 1e-4
) -> bool:
    keys = set(found) | set(expected)
    return any(abs(float(found.get(key, 0)) - float(expected.get(key, 0))) > off for key in keys)
