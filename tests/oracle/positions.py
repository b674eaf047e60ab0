"""Makes set-ups, positions and moves for the tests of the oracle."""

import random
import tomllib
from collections.abc import Callable, Iterable
from itertools import combinations

from spacemission_env.games.space_mission.options import Rules
from tests.support.paths import ROOT

from .space_mission_oracle import TILE_NAMES, OracleGame, Plain

# ------------------------------------------------------------------------------- default components

BOX = tomllib.loads((ROOT / "spacemission_env/games/space_mission/data/default.toml").read_text("utf-8"))
TILE_COUNTS: dict[str, int] = BOX["tiles"]
PLANETS: list[Plain] = BOX["planets"]


def words(text: str) -> list[str]:
    return text.split()


COLOURS = {"J": "jump", "S": "scan", "L": "landing"}
SPACE_TILES_TO_END = {2: 6, 3: 8, 4: 10, 5: 12}


def card(face: str) -> dict:
    """A card from its face, `J1S3` for example."""
    row: Plain = {"id": face}
    for colour, number in ((face[0], face[1]), (face[2], face[3])):
        row[COLOURS[colour]] = number if number == "?" else int(number)
    return row


CARDS = [card(face) for face in BOX["cards"]]
RANK = {row["id"]: number for number, row in enumerate(CARDS)}


def make_rules(num_players: int, **changes: object) -> dict:
    ending = {"space_tiles_to_end": SPACE_TILES_TO_END[num_players]}
    return Rules(**(ending | changes)).to_json()  # type: ignore[arg-type]


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
    """A random kind of move, then a random move of it, so that games end."""
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
    """A game on the first eight planets; unnamed piles have two medals and a water tile."""
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
