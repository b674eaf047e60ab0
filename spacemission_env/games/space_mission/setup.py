"""Writes and reads set-ups and the components of records."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from spacemission_env.core.errors import RecordError, SetupError, shown
from spacemission_env.core.reading import Json, check_plain
from spacemission_env.core.rng import seed_rng
from spacemission_env.core.rules_options import check_setup_start
from spacemission_env.games.space_mission.components import Components, components_from_data
from spacemission_env.games.space_mission.components.parameters import card_faces
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.rules import clear, put_in_hand

KEYS = ("ring", "piles", "hands", "draw_pile", "start_player")


def read(s: np.record, components: Components, num_players: int) -> Json:
    """The table in the form of a set-up, as in a record's header."""
    ids = [card.id for card in components.cards]
    return {
        "ring": [components.planets[p].name for p in s.ring[: components.ring]],
        "piles": [
            [c.KIND_NAMES[k] for k in range(len(c.KIND_NAMES)) for _ in range(s.pile[p, k])]
            for p in range(components.ring)
        ],
        "hands": [[ids[face] for face in s.hand[j, : s.hand_size[j]]] for j in range(num_players)],
        "draw_pile": [ids[face] for face in s.draw[: s.draw_size][::-1]],
        "start_player": int(s.start_player),
    }


def lay(s: np.record, t: np.record, components: Components, num_players: int, seed: int, setup: Json) -> None:
    """Set up the table that `setup` describes; the game's random numbers start from `seed`.

    Raises:
        SetupError: an entry is wrong; the error names it, and the state is unchanged.
    """
    ring, piles, hands, draw_pile, start = _checked(
        components, int(t.hand_size), int(t.start_player), num_players, setup
    )
    clear(s, t, num_players, seed)
    s.ring[: len(ring)] = ring
    for p, kinds in enumerate(piles):
        for kind in kinds:
            s.pile[p, kind] += 1
    for j, cards in enumerate(hands):
        for face in cards:
            put_in_hand(s, j, face)
    s.draw_size = len(draw_pile)
    s.draw[: len(draw_pile)] = draw_pile[::-1]
    s.start_player = s.player = start
    # The salt gives games with the same set-up different decision keys. A person can find a small seed by
    # trying numbers, so shuffles also depend on the hidden cards: the seed alone does not reveal them.
    hidden = s.hand.tobytes() + s.draw.tobytes()  # not the ring: with a rotated ring, shuffles stay the same
    s.salt = _digest(seed, b"agents", b"")
    seed_rng(s, _digest(seed, b"shuffles", hidden))
    s.seed = seed


def _digest(seed: int, use: bytes, more: bytes) -> int:
    digest = hashlib.blake2b(seed.to_bytes(8, "little") + more, digest_size=8, person=use).digest()
    return int.from_bytes(digest, "little") >> 1


def _checked(
    components: Components, hand_size: int, agreed: int, num_players: int, setup: object
) -> tuple[list[int], list[list[int]], list[list[int]], list[int], int]:
    if not isinstance(setup, dict):
        raise SetupError(f"setup: expected a dict, not {type(setup).__name__}")
    try:
        check_plain(setup)
    except (ValueError, RecursionError) as error:
        raise SetupError(f"setup: {error}") from None
    for key in setup:
        if key not in KEYS:
            raise SetupError(f"setup: unknown entry {key!r}; known: {', '.join(KEYS)}")
    for key in KEYS:
        if key not in setup:
            raise SetupError(f"setup: {key!r} is missing")
    ring = _named(setup["ring"], "ring", [p.name for p in components.planets], "planet", components.ring)
    if len(set(ring)) != len(ring):
        raise SetupError("setup: ring: a planet stands twice")
    piles_given = _sequence(setup["piles"], "piles", components.ring)
    piles = [
        _named(pile, f"piles[{p}]", c.KIND_NAMES, "tile", components.pile)
        for p, pile in enumerate(piles_given)
    ]
    counts = Counter(kind for pile in piles for kind in pile)
    for kind, expected in enumerate(components.tiles):
        if counts[kind] != expected:
            raise SetupError(
                f"setup: piles: {counts[kind]} {c.KIND_NAMES[kind]} tiles, the box has {expected}"
            )
    faces = card_faces(components)
    ids = [card.id for card in components.cards]
    hands_given = _sequence(setup["hands"], "hands", num_players)
    hands = [_named(hand, f"hands[{j}]", ids, "card", hand_size) for j, hand in enumerate(hands_given)]
    draw = _named(setup["draw_pile"], "draw_pile", ids, "card", len(ids) - num_players * hand_size)
    cards = Counter(draw)
    for hand in hands:
        cards.update(hand)
    for face, expected in Counter(faces).items():
        if cards[face] != expected:
            raise SetupError(f"setup: cards: {cards[face]} of {ids[face]!r}, the box has {expected}")
    check_setup_start(setup["start_player"], agreed, num_players)
    return ring, piles, hands, draw, setup["start_player"]


def _sequence(value: object, what: str, count: int) -> Sequence[object]:
    if not isinstance(value, list | tuple) or len(value) != count:
        got = f"{len(value)}" if isinstance(value, list | tuple) else repr(value)
        raise SetupError(f"setup: {what}: expected a list of {count} entries, got {got}")
    return value


def _named(value: object, what: str, names: Sequence[str], noun: str, count: int) -> list[int]:
    indices = []
    for i, name in enumerate(_sequence(value, what, count)):
        if not isinstance(name, str) or name not in names:
            raise SetupError(f"setup: {what}[{i}]: unknown {noun} {name!r}")
        indices.append(names.index(name))
    return indices


def recorded_components(header: Json) -> Components:
    """The components that a record's header describes; the caller compares their sha256."""
    entry = header.get("components")
    tiles = _tile_counts(header.get("setup"))
    if not isinstance(entry, dict):
        raise RecordError(f"components: expected an object, not {shown(entry)}")
    return components_from_data(
        {**{key: value for key, value in entry.items() if key != "sha256"}, "tiles": tiles}, "components"
    )


def _tile_counts(setup: object) -> dict[str, int]:
    """The number of tiles of each kind, counted in the piles of the set-up, which hold all tiles (SM-03)."""
    piles = setup.get("piles") if isinstance(setup, dict) else None
    if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
        raise RecordError("setup: piles: expected lists of tile names")
    counts = Counter(tile for pile in piles for tile in pile if isinstance(tile, str))
    return {kind: counts[kind] for kind in c.KIND_NAMES}
