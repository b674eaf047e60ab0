"""Networks that read cards, planets and pairs of them with the same weights, and say moves by them; compiled.

Every card of the hand meets every planet: relu(card + planet) is what the pair comes to, by one layer for all
cards and one for all planets. What a planet is read as is a layer of its own numbers and of the sum over the
cards; these go on to the hidden layers, in the order of the ring. The last layer gives a logit of its own for
each move, and queries; a move's logit is the sum of its own one and of products with what it is about:

| move | besides its own logit |
| --- | --- |
| top up | for each card that goes: the card · query |
| jump with a card to a planet | the planet · query + the card · query + the pair · query |
| fly to a planet | the planet · query |
| scan with a card | the card · query + the pair of the card and the first planet · query |
| develop with two cards | the same for both, with a query of its own for the pairs |

A card is read as the mean over its pairs. The first planet is the one where the own ship is (inputs.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.inputs import GAME_SIZE, HAND_PLACE, PLANET_SIZE
from spacemission_agents.models.layers import activate, add_layer, not_zero
from spacemission_env.games.space_mission.engine.constants import (
    ACTION_COUNT,
    CARD_FEATURES,
    DEVELOP,
    DEVELOP_PAIRS,
    FLY_NEXT,
    FLY_PREVIOUS,
    JUMP,
    RING,
    SCAN,
    SLOTS,
    TOP_UP,
)

PLANET_QUERIES = 2  # of a jump, of a flight
CARD_QUERIES = 5  # of cards: to go, to be played; of pairs: of a jump, a scan, a development
LAYERS = ("planet", "card", "pair", "place")  # each shared by all planets or all cards


class Parts(NamedTuple):
    """The shared layers and the scratch that they work with; widths 0 where a network has none."""

    planets: int  # width of what a planet is read as
    cards: int  # width of what a card and a pair are read as
    planet: np.ndarray  # weights and bias of each layer, float32, flat
    card: np.ndarray
    pair: np.ndarray
    place: np.ndarray
    of_card: np.ndarray  # a card before it meets a planet, float32 (5, cards)
    of_planet: np.ndarray  # a planet before it meets a card, float32 (cards,)
    pairs: np.ndarray  # float32 (5, 8, cards)
    both: np.ndarray  # a planet's own numbers and the sum over the cards, float32
    logits: np.ndarray  # float32 (101,)


def last_width(planets: int, cards: int) -> int:
    """Numbers that the last layer gives."""
    return ACTION_COUNT + PLANET_QUERIES * planets + CARD_QUERIES * cards if cards else ACTION_COUNT


def part_shapes(planets: int, cards: int) -> dict[str, tuple[int, int]]:
    """Widths out and in of the shared layers."""
    sizes = (planets, PLANET_SIZE), (cards, CARD_FEATURES), (cards, PLANET_SIZE), (planets, planets + cards)
    return dict(zip(LAYERS, sizes, strict=True))


def new_parts(arrays: dict[str, np.ndarray] | None, network: dict[str, Any]) -> Parts:
    """The shared layers of a model folder's tensors; empty where the card's `network` has none."""
    cards = network.get("cards", 0) if arrays else 0
    planets = network["planets"] if cards else 0
    flat = {name: np.zeros(0, np.float32) for name in LAYERS}
    for name in LAYERS if cards else ():
        assert arrays is not None
        parts = arrays[f"policy.{name}.weight"].T.ravel(), arrays[f"policy.{name}.bias"]
        flat[name] = np.ascontiguousarray(np.concatenate(parts), np.float32)
    return Parts(
        planets=planets,
        cards=cards,
        **flat,
        of_card=np.zeros((SLOTS, cards), np.float32),
        of_planet=np.zeros(cards, np.float32),
        pairs=np.zeros((SLOTS, RING, cards), np.float32),
        both=np.zeros(planets + cards, np.float32),
        logits=np.zeros(ACTION_COUNT, np.float32),
    )


@njit
def read_parts(x, parts, places, out):
    """What each planet is read as, one behind the other, into `out`, float32 (8 * planets,)."""
    planets, cards, both, of_planet = parts.planets, parts.cards, parts.both, parts.of_planet
    for i in range(SLOTS):
        start = HAND_PLACE + i * CARD_FEATURES
        card = x[start : start + CARD_FEATURES]
        add_layer(card, not_zero(card, places), parts.card, parts.of_card[i], places)
    for q in range(RING):
        start = GAME_SIZE + q * PLANET_SIZE
        seen = x[start : start + PLANET_SIZE]
        count = not_zero(seen, places)
        add_layer(seen, count, parts.pair, of_planet, places)
        add_layer(seen, count, parts.planet, both[:planets], places)
        activate(both[:planets], False)
        for c in range(cards):
            total = np.float32(0)
            for i in range(SLOTS):
                pair = max(parts.of_card[i, c] + of_planet[c], np.float32(0))
                parts.pairs[i, q, c] = pair
                total += pair
            both[planets + c] = total
        y = out[q * planets : (q + 1) * planets]
        add_layer(both, not_zero(both, places), parts.place, y, places)
        activate(y, False)


@njit
def product(x, y):
    """The sum of products of two vectors."""
    total = np.float32(0)
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@njit
def say_moves(parts, read, said):
    """The logits of all moves; `read`: of `read_parts`; `said`: what the last layer gives."""
    logits, planets, cards, pairs = parts.logits, parts.planets, parts.cards, parts.pairs
    for a in range(ACTION_COUNT):
        logits[a] = said[a]
    at = ACTION_COUNT
    to_jump, to_fly = said[at : at + planets], said[at + planets : at + 2 * planets]
    at += 2 * planets
    going, played = said[at : at + cards], said[at + cards : at + 2 * cards]
    jumping = said[at + 2 * cards : at + 3 * cards]
    scanning = said[at + 3 * cards : at + 4 * cards]
    developing = said[at + 4 * cards : at + 5 * cards]
    for i in range(SLOTS):
        goes, plays = np.float32(0), np.float32(0)
        for q in range(RING):
            goes += product(pairs[i, q], going)
            plays += product(pairs[i, q], played)
        goes, plays = goes / RING, plays / RING
        for subset in range(1 << SLOTS):
            if subset >> i & 1:
                logits[TOP_UP + subset] += goes
        for q in range(RING):
            logits[JUMP + RING * i + q] += plays + product(pairs[i, q], jumping)
        logits[SCAN + i] += plays + product(pairs[i, 0], scanning)
        develops = plays + product(pairs[i, 0], developing)
        for n in range(len(DEVELOP_PAIRS)):
            if i in DEVELOP_PAIRS[n]:
                logits[DEVELOP + n] += develops
    for q in range(RING):
        there = product(read[q * planets : (q + 1) * planets], to_jump)
        for i in range(SLOTS):
            logits[JUMP + RING * i + q] += there
    logits[FLY_NEXT] += product(read[planets : 2 * planets], to_fly)
    logits[FLY_PREVIOUS] += product(read[(RING - 1) * planets : RING * planets], to_fly)
    return logits
