"""The default components, set-ups, hand-made positions and moves for the tests of the oracle."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

from .space_mission_oracle import (
    TILE_NAMES,
    OracleGame,
)

# ------------------------------------------------------------------------------- default components

PLANET_TABLE = """
Freezer 1 1 1 2
Hazard 1 2 3 4
Caldera 1 3 1 3
Green-Heggar 2 2 1 4
Tidefall 2 3 2 3
Ironvale 2 4 2 4
Ruby-Red 3 3 1 2
Duskmere 3 4 3 4
Amberlight 3 1 2 4
Mirador 4 4 1 3
Nyx-Prime 4 1 1 4
Verdance 4 2 2 3
"""


def words(text: str) -> list[str]:
    return text.split()


JOKER_CARDS = words("J?S1 J?S3 J2S? J4S? J?L2 J?L4 J1L? J3L? S?L1 S?L3 S2L? S4L?")
TILE_COUNTS = {
    "mineral_red": 4,
    "mineral_purple": 4,
    "mineral_green": 4,
    "mineral_blue": 4,
    "alien_brown": 5,
    "alien_blue": 5,
    "matter_green": 4,
    "matter_blue": 4,
    "water": 8,
    "medal": 6,
    "space": 16,
}
COLOURS = {"J": "jump", "S": "scan", "L": "landing"}
SPACE_TILES_TO_END = {2: 6, 3: 8, 4: 10, 5: 12}


def default_planets() -> list[dict]:
    planets = []
    for line in PLANET_TABLE.split("\n")[1:-1]:
        name, jump, scan, a, b = line.split()
        planets.append(
            {
                "name": name.replace("-", " "),
                "jump": int(jump),
                "scan": int(scan),
                "landing": [int(a), int(b)],
            }
        )
    return planets


def card(face: str) -> dict:
    """A card from its face, `J1S3` for example."""
    row: dict[str, Any] = {"id": face}
    for colour, number in ((face[0], face[1]), (face[2], face[3])):
        row[COLOURS[colour]] = number if number == "?" else int(number)
    return row


def default_cards() -> list[dict]:
    faces = [
        f"{x}{a}{y}{b}" for x, y in (("J", "S"), ("J", "L"), ("S", "L")) for a in "1234" for b in "1234"
    ] + JOKER_CARDS
    kinds = ["JS", "JL", "SL"]
    faces.sort(
        key=lambda face: (kinds.index(face[0] + face[2]), "1234?".index(face[1]), "1234?".index(face[3]))
    )
    return [card(face) for face in faces]


PLANETS = default_planets()
CARDS = default_cards()
RANK = {row["id"]: number for number, row in enumerate(CARDS)}


def make_rules(num_players: int, **changes: object) -> dict:
    rules = {
        "reserved_tiles_visible": False,
        "space_tile_penalty": False,
        "chips_per_player": 20,
        "hand_size": 5,
        "actions_per_turn": 2,
        "gate_points_without_probe": False,
        "space_tiles_to_end": SPACE_TILES_TO_END[num_players],
        "max_rounds": 100,
        "start_player": "random",
        "empty_top_up": True,
        "scan_face_up": False,
    }
    assert set(changes) <= set(rules)
    return rules | changes


def random_setup(
    rng: random.Random, num_players: int, hand_size: int, cards: list[dict] | None = None
) -> dict:
    ids = [row["id"] for row in cards or CARDS]
    rng.shuffle(ids)
    tiles = [name for name, number in TILE_COUNTS.items() for _ in range(number)]
    rng.shuffle(tiles)
    dealt = num_players * hand_size
    return {
        "ring": [planet["name"] for planet in rng.sample(PLANETS, 8)],
        "piles": [tiles[start : start + 8] for start in range(0, 64, 8)],
        "hands": [ids[start : start + hand_size] for start in range(0, dealt, hand_size)],
        "draw_pile": ids[dealt:],
        "start_player": rng.randrange(num_players),
    }


def kind_of(action: int) -> str:
    limits = (
        (32, "top up"),
        (72, "jump"),
        (74, "fly"),
        (79, "scan"),
        (89, "develop"),
        (90, "discover"),
        (101, "take"),
    )
    return next(kind for limit, kind in limits if action < limit)


def random_action(rng: random.Random, legal: list[int]) -> int:
    """A kind of move first, then a move of it: games of this sort come to their end."""
    kind = rng.choice(sorted({kind_of(action) for action in legal}))
    return rng.choice([action for action in legal if kind_of(action) == kind])


def shuffler(rng: random.Random) -> Callable[[list[str]], list[str]]:
    return lambda ids: rng.sample(ids, len(ids))


def no_shuffle(ids: list[str]) -> list[str]:
    raise AssertionError(f"shuffle of {ids} was not expected")


# --------------------------------------------------------------------------------- hand-made positions

FREEZER, HAZARD, CALDERA, HEGGAR, TIDEFALL, IRONVALE, RUBY, DUSKMERE = range(8)  # the ring below
DEVELOP_SLOTS = list(combinations(range(5), 2))


def jump(slot: int, position: int) -> int:
    return 32 + 8 * slot + position


def scan(slot: int) -> int:
    return 74 + slot


def develop(one: int, two: int) -> int:
    return 79 + DEVELOP_SLOTS.index((one, two))


def take(tile: str) -> int:
    return 90 + TILE_NAMES.index(tile)


FLY_NEXT, FLY_PREVIOUS, DISCOVER = 72, 73, 89


def position_of(
    *hands: str,
    piles: dict[int, str] | None = None,
    draw: str = "J1S1 J1S2 J1S3 J1S4 J2S1 J2S2 J2S3 J2S4 J3S1 J3S2 J3S3 J3S4",
    start: int = 0,
    planets: list[dict] | None = None,
    cards: list[dict] | None = None,
    **changes: object,
) -> OracleGame:
    """A game on the first eight planets; piles not named hold two medals and a water tile."""
    planets = planets or PLANETS
    tiles = [words("medal medal water") for _ in range(8)]
    for place, pile in (piles or {}).items():
        tiles[place] = pile.split()
    setup = {
        "ring": [planet["name"] for planet in planets[:8]],
        "piles": tiles,
        "hands": [hand.split() for hand in hands],
        "draw_pile": draw.split(),
        "start_player": start,
    }
    return OracleGame(len(hands), make_rules(len(hands), **changes), planets, cards or CARDS, setup)


def play(game: OracleGame, actions: Iterable[int]) -> None:
    for action in actions:
        game.apply(action, no_shuffle)


def expected(names: str) -> list[int]:
    return sorted(take(name) for name in names.split())
