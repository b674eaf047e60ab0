"""The deck as data: cards and Mission Files from a deck file (TOML), validated on load.

The deck that ships is ``data/deck.toml``; an owner of the game may enter another. What a file may hold is in
docs/planet_hexx_cards.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from spacemission_env.core.errors import ComponentsError, shown
from spacemission_env.core.reading import COMPONENTS_BYTES, parse_toml, read_bytes
from spacemission_env.games.planet_hexx.card_entries import (
    check_keys,
    read_card,
    read_id,
    read_mission,
    read_name,
)
from spacemission_env.games.planet_hexx.deck_parts import (
    AltUpload,
    Card,
    Deck,
    Effect,
    Mission,
    Surprise,
    count_of,
    steps,
)
from spacemission_env.games.planet_hexx.effect_checks import Checks
from spacemission_env.games.planet_hexx.language import (
    DELTA_COLONY,
    FEWEST,
    FILES,
    KINDS,
    MAPS,
    MOST,
    ONCES,
    RATIO,
    SIDES,
    SIZE,
    SPACE_BASE,
    STEPS,
    TYPES,
)

__all__ = [
    "AltUpload",
    "Card",
    "Deck",
    "Effect",
    "Mission",
    "Surprise",
    "components_from_data",
    "counts_by_type",
    "load_components",
    "parse_components",
]

FORMAT = 1


def load_components(source: str | Path | Deck | None = None) -> Deck:
    """Load and validate a deck file; ``None`` is the deck that ships.

    Raises:
        ComponentsError: naming the file, the card, the key and what is wrong; nothing is half-loaded.
    """
    if isinstance(source, Deck):
        return source
    if source is None:
        return _default()
    if not isinstance(source, str | Path):
        raise ComponentsError(f"components: expected a path or None, not {shown(source)}")
    text = read_bytes(source, COMPONENTS_BYTES, ComponentsError, f"components file {str(source)!r}")
    return parse_components(text, str(source))


@lru_cache(maxsize=1)
def _default() -> Deck:
    file = resources.files("spacemission_env.games.planet_hexx.data").joinpath("deck.toml")
    return parse_components(file.read_bytes(), "deck.toml")


def parse_components(text: bytes, where: str) -> Deck:
    """Parse and validate the bytes of a deck file; ``where`` names it in errors."""
    if not isinstance(text, bytes):
        raise ComponentsError(f"{where}: expected the bytes of a file, not {shown(text)}")
    return components_from_data(parse_toml(text, ComponentsError, where), where)


def components_from_data(data: Any, where: str) -> Deck:
    """Validate a deck given as plain data (a parsed file, or a record's header)."""
    check_keys(data, ("format", "name", "size", "card", "mission"), ("name",), where)
    if type(data.get("format", FORMAT)) is not int or data.get("format", FORMAT) != FORMAT:
        raise ComponentsError(
            f"{where}: format: {shown(data['format'])} is not known, this version reads {FORMAT}"
        )
    name = read_name(data["name"], f"{where}: name")
    size = Checks(where, "").number(data.get("size", SIZE), "size", FEWEST, MOST)
    cards = _read_cards(data.get("card", []), where)
    missions = _read_missions(data.get("mission", []), where)
    _check_starting(cards, where)
    _check_related(cards, where)
    _check_steps(cards, where)
    _refuse_unfilled(cards, missions, size, where)
    _check_size_and_ratio(cards, size, where)
    return Deck(name, cards, missions)


def _read_cards(entries: Any, where: str) -> tuple[Card, ...]:
    entries = Checks(where, "").entries(entries, "card", KINDS, "kinds of cards")
    map_ids: set[str] = set()
    seen: set[str] = set()
    for i, entry in enumerate(entries):
        card_id = read_id(entry, i, where)
        if card_id in seen:
            raise ComponentsError(f"{where}: card {card_id!r}: id: stands twice")
        seen.add(card_id)
        if entry.get("type") in MAPS:
            map_ids.add(card_id)
    cards = tuple(read_card(entry, map_ids, where) for entry in entries)
    _refuse_twice(cards, lambda card: card.name, lambda card: f"{where}: card {card.id!r}: name")
    return cards


def _check_starting(cards: tuple[Card, ...], where: str) -> None:
    """HX-4 needs a Space and a Planet to begin with."""
    types = {card.id: card.type for card in cards}
    for card_id, kind in ((SPACE_BASE, "space"), (DELTA_COLONY, "planet")):
        if card_id not in types:
            raise ComponentsError(f"{where}: card {card_id!r} is missing: a starting hex (HX-4)")
        if types[card_id] != kind:
            raise ComponentsError(f"{where}: card {card_id!r}: type: expected {kind}, not {types[card_id]}")


def _check_related(cards: tuple[Card, ...], where: str) -> None:
    """HX-15: related hexes name each other."""
    related = {card.id: card.related for card in cards}
    for card in cards:
        for other in card.related:
            if card.id not in related[other]:
                raise ComponentsError(
                    f"{where}: card {card.id!r}: related: {other!r} does not name it in return (HX-15)"
                )


def _check_steps(cards: tuple[Card, ...], where: str) -> None:
    effects = tuple(effect for card in cards for effect in card.effects)
    onces = count_of(effects, "once")
    if onces > ONCES:
        raise ComponentsError(f"{where}: card: at most {ONCES} statements 'once' in all, not {onces}")
    total = sum(map(steps, effects))
    if total > STEPS:
        raise ComponentsError(
            f"{where}: card: at most {STEPS} statements and rows of tables in all, not {total}"
        )


def counts_by_type(cards: Iterable[Card]) -> dict[str, int]:
    """How many cards of each type there are, copies and all."""
    counts = dict.fromkeys(TYPES, 0)
    for card in cards:
        counts[card.type] += card.copies
    return counts


def _refuse_unfilled(cards: tuple[Card, ...], missions: tuple[Mission, ...], size: int, where: str) -> None:
    """Say what is left to fill in, in a file of `spacemission components new`, or half filled in."""
    counts = counts_by_type(cards)
    total, sides = sum(counts.values()), FILES * SIDES
    if total >= size and len(missions) == sides:
        return
    left = []
    if total < size:
        there = ", ".join(f"{kind} {count}" for kind, count in counts.items())
        left.append(f"cards: {size - total} of {size}, there are {there}")
    if len(missions) < sides:
        left.append(f"mission: {sides - len(missions)} of {sides} sides")
    hint = f"; a deck of another size says 'size = {total}'" if FEWEST <= total < size else ""
    raise ComponentsError(f"{where}: still to be filled in: {'; '.join(left)}{hint}")


def _check_size_and_ratio(cards: tuple[Card, ...], size: int, where: str) -> None:
    """HX-56: the types are in the ratio of `RATIO`, each to within one card."""
    counts = counts_by_type(cards)
    total = sum(counts.values())
    if total != size:
        hint = "" if total > MOST else f"; a deck of another size says 'size = {total}'"
        raise ComponentsError(f"{where}: card: expected {size} cards in all, got {total}{hint}")
    whole = sum(RATIO.values())
    for kind, share in RATIO.items():
        # Within one card of share / whole of them (HX-56), in whole numbers.
        if abs(counts[kind] * whole - size * share) > whole:
            low, high = -((whole - size * share) // whole), (size * share + whole) // whole
            raise ComponentsError(
                f"{where}: card: expected {low} to {high} cards of type {kind} among {size} (HX-56), "
                f"got {counts[kind]}"
            )


def _read_missions(entries: Any, where: str) -> tuple[Mission, ...]:
    entries = Checks(where, "").entries(entries, "mission", FILES * SIDES, "sides of Mission Files")
    missions = tuple(read_mission(entry, i, where) for i, entry in enumerate(entries))
    _refuse_twice(missions, lambda m: m.name, lambda m: f"{where}: mission {m.name!r}: name")
    _refuse_twice(
        missions, lambda m: (m.file, m.side), lambda m: f"{where}: mission {m.name!r}: file and side"
    )
    return tuple(sorted(missions, key=lambda m: (m.file, m.side)))


def _refuse_twice(parts: Any, key: Callable[[Any], Any], what: Callable[[Any], str]) -> None:
    seen = set()
    for part in parts:
        if key(part) in seen:
            raise ComponentsError(f"{what(part)}: stands twice")
        seen.add(key(part))
