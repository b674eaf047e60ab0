"""Random valid boxes, as owners might enter them, and their files."""

import json
import random
from itertools import product

from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import Components, components_from_data
from spacemission_env.games.space_mission.engine.constants import (
    COLOURS,
    KIND_NAMES,
    PLANETS,
    POINT_TILES,
    SPACE_TILES,
)

PAIRS = ((0, 1), (0, 2), (1, 2))  # pairs of colours of a card
SYLLABLES = ["Ör", "mi", "ka", "Ta", "lo", "ven", "dé", "-X", "nu", "Zo", "'ra", "ßi"]


def random_box(seed: int) -> Components:
    """A valid random box.

    Tile kinds may be missing. Cards repeat, show jokers and two numbers of one colour. Planets have equal
    landing numbers and other names. In one box of four, card names are not faces. Nothing is balanced: some
    planets match no card.
    """
    return components_from_data(box_data(seed), f"random_box({seed})")


def box_data(seed: int) -> Json:
    """The data of `random_box(seed)` as in a components file."""
    rng = random.Random(seed)
    return {
        "name": f"box {seed}",
        "planets": random_planets(rng),
        "cards": random_cards(rng),
        "tiles": random_tiles(rng),
    }


def random_planets(rng: random.Random) -> list[Json]:
    """Twelve planets with different names; some share all their numbers."""
    names: list[str] = []
    while len(names) < PLANETS:
        name = "".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))).strip("-'").capitalize()
        if name not in names:
            names.append(name)
    planets = []
    for name in names:
        jump, scan, a, b = rng.choices(range(1, 5), k=4)
        landing = [a, a if rng.random() < 0.2 else b]
        planets.append({"name": name, "jump": jump, "scan": scan, "landing": landing})
    return planets


def random_cards(rng: random.Random) -> list[object]:
    """Sixty cards of 6 to 60 kinds in any order: ids, or in one box of four, tables with names."""
    jokers, pairs = rng.choice((0.0, 0.1, 0.4)), rng.choice((0.0, 0.1, 0.5))
    kinds: list[Json] = []
    wanted = rng.choice((6, 15, 30, 45, 60))
    while len(kinds) < wanted:
        kind = random_card(rng, jokers, pairs)
        if kind not in kinds or rng.random() < 0.2:
            kinds.append(kind)
    cards = [*kinds, *rng.choices(kinds, k=60 - len(kinds))]
    rng.shuffle(cards)
    if rng.random() < 0.75:
        return [face(card) for card in cards]
    order = [face(card) for card in cards]
    return [{"id": f"card {order.index(face(card))}", **card} for card in cards]


def random_card(rng: random.Random, jokers: float, pairs: float) -> Json:
    """What a card shows, by colour."""
    if rng.random() < pairs:
        return {rng.choice(COLOURS): sorted(rng.sample(range(1, 5), 2))}
    return {COLOURS[c]: "?" if rng.random() < jokers else rng.randint(1, 4) for c in rng.choice(PAIRS)}


def face(card: Json) -> str:
    """The id of what a card shows, computed independently."""
    shown = ""
    for letter, colour in zip("JSL", COLOURS, strict=True):
        values = card.get(colour, [])
        for value in values if isinstance(values, list) else [values]:
            shown += f"{letter}{value}"
    return shown


def random_tiles(rng: random.Random) -> dict[str, int]:
    """48 point tiles of 1 to 10 kinds, some of them frequent, and the space tiles."""
    kinds = rng.sample(KIND_NAMES[:-1], rng.choice((1, 3, 6, 9, 10, 10)))
    weights = [rng.random() ** 2 + 0.02 for _ in kinds]
    drawn = rng.choices(kinds, weights, k=POINT_TILES)
    return {**{kind: drawn.count(kind) for kind in KIND_NAMES[:-1]}, KIND_NAMES[-1]: SPACE_TILES}


def all_faces() -> list[str]:
    """The ids of all possible cards."""
    two = [f"{'JSL'[c]}{a}{'JSL'[d]}{b}" for c, d in PAIRS for a, b in product("1234?", "1234?")]
    return two + [f"{c}{a}{c}{b}" for c in "JSL" for a, b in product("1234", "1234") if a < b]


def file_text(data: Json) -> str:
    """The data as a components file (TOML)."""
    lines = [f"name = {quoted(data['name'])}", 'origin = "box"']
    for key in ("planets", "cards"):
        lines += [f"{key} = [", *(f"  {inline(entry)}," for entry in data[key]), "]"]
    lines += ["[tiles]", *(f"{kind} = {count}" for kind, count in data["tiles"].items())]
    return "\n".join(lines) + "\n"


def inline(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {inline(v)}" for key, v in value.items()) + " }"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def small_box(seed: int) -> Components:
    """A valid random box with a smaller ring (SM-02): fewer planets, cards and tiles."""
    rng = random.Random(seed)
    data = box_data(seed)
    ring, pile = rng.randint(2, 7), rng.randint(1, 8)
    spaces = rng.randint(1, min(SPACE_TILES, ring * pile - 1))
    drawn = rng.choices(KIND_NAMES[:-1], k=ring * pile - spaces)
    data["ring"] = ring
    data["planets"] = data["planets"][: rng.randint(ring, PLANETS)]
    data["cards"] = data["cards"][: rng.randint(16, 60)]
    data["tiles"] = {**{kind: drawn.count(kind) for kind in KIND_NAMES[:-1]}, KIND_NAMES[-1]: spaces}
    return components_from_data(data, f"small_box({seed})")
