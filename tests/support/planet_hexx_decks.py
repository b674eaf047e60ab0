"""Provides decks for tests: the fixed deck, small decks, and decks with random effects."""

import copy
import random
import tomllib
from pathlib import Path

from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components import language as lang
from spacemission_env.games.planet_hexx.components.language import Argument, Statement

OWN_DECK = Path(__file__).with_name("planet_hexx_deck.toml")
DECK_FILE = Path(__file__).parents[2] / "spacemission_env" / "games" / "planet_hexx" / "data" / "deck.toml"
WORDS = Path(__file__).with_name("planet_hexx_words.toml")
OF_ALL = ("id", "name", "type", "copies", "data", "related", "origin")
SMALL = 3  # limit of most random numbers


def words_deck() -> Json:
    """The fixed deck, with cards for all words of the language that it lacks."""
    data, words = (tomllib.loads(file.read_text(encoding="utf-8")) for file in (OWN_DECK, WORDS))
    changed = {card["id"]: card for card in words["card"]}
    kept = ("name", "type", "copies")
    data["card"] = [
        {key: card[key] for key in kept} | changed[card["id"]] if card["id"] in changed else card
        for card in data["card"]
    ]
    return data


def random_deck(seed: int, few: bool = False) -> Json:
    """The shipped deck, or `few` cards of it, with random effects, costs, walls and windows on some cards."""
    rng = random.Random(seed)
    data = copy.deepcopy(tomllib.loads(DECK_FILE.read_text(encoding="utf-8")))
    if few:
        keep_few(data, rng)
    share = rng.choice([0.2, 0.6, 1.0])
    maps = [card["id"] for card in data["card"] if card["type"] not in lang.EVENTS]
    for card in data["card"]:
        if card["id"] not in lang.STARTING and rng.random() < share:
            kept = {key: card[key] for key in OF_ALL if key in card}
            drawn = RandomCard(rng, maps)
            card.clear()
            card.update(kept | (drawn.event() if kept["type"] in lang.EVENTS else drawn.hex(kept["type"])))
    return data


def keep_few(data: Json, rng: random.Random) -> None:
    """Keep 3 to 12 cards and 4 to 8 Mission Files of a deck."""
    data["size"], data["files"] = rng.randint(3, 12), rng.randint(4, 8)
    counts = {kind: data["size"] * share // lang.SIZE for kind, share in lang.RATIO.items()}
    for kind in rng.sample(list(counts), data["size"] - sum(counts.values())):
        counts[kind] += 1
    cards = [card for card in data["card"] if card["id"] in lang.STARTING]
    for kind, count in counts.items():
        alone = [card for card in data["card"] if card["type"] == kind and "related" not in card]
        cards += rng.sample([card | {"copies": 1} for card in alone if card["copies"]], count)
    data["card"] = cards
    data["mission"] = [mission for mission in data["mission"] if mission["file"] < data["files"]]


SIZES = {"alien": 7, "dilemma": 7, "object": 7, "planet": 9, "space": 10}  # of a deck of 40


def small_deck(seed: int, each: int) -> Json:
    """A deck of 40 shipped cards with `each` kinds of each type, preferably Surprises."""
    rng = random.Random(seed)
    data = copy.deepcopy(tomllib.loads(DECK_FILE.read_text(encoding="utf-8")))
    cards = [card for card in data["card"] if card["id"] in lang.STARTING]
    alone = [card for card in data["card"] if "related" not in card and "on_board" not in str(card)]
    for type_, size in SIZES.items():
        of_type = [card for card in alone if card["type"] == type_ and card["id"] not in lang.STARTING]
        surprises = [card for card in of_type if "surprise" in card]
        chosen = rng.sample(surprises if surprises and rng.random() < 0.6 else of_type, each)
        for number, card in enumerate(chosen):
            card["copies"] = (size + number) // each
        cards += chosen
    return {**data, "name": "small", "size": sum(SIZES.values()), "card": cards}


class RandomCard:
    def __init__(self, rng: random.Random, maps: list[str]) -> None:
        self.rng, self.maps = rng, maps
        self.left = 26  # statements, without prices

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def event(self) -> Json:
        rng, card, known = self.rng, {}, set()
        if self.chance(0.35):
            windows = rng.sample(lang.WINDOWS, rng.choice([1, 1, 2, 4]))
            card["surprise"] = {"on": windows, "own_turn": self.chance(0.5)}
            known = {"window"}  # allows `cancel` and `reroll`
        branches = range(rng.choice([1, 1, 1, 2, 2, 4]))
        card["play"] = [self.priced(self.effect("play", known | {"once"})) for _ in branches]
        if self.chance(0.3):
            card["cost"] = self.costs()
        if self.chance(0.15):
            card["alt_upload"] = {"cost": self.costs(), "anywhere": self.chance(0.5)}
        if self.chance(0.1):
            card["only_if"] = self.condition("only_if", set())
        return card | self.uploaded()

    def uploaded(self) -> Json:
        return {key: self.effect(key) for key in lang.FILE_EFFECTS if self.chance(0.15)}

    def hex(self, type_: str) -> Json:
        rng, card = self.rng, {}
        card["data"] = rng.choice([0, 1, 3, 6, "X"])
        if type_ == "space":
            del card["data"]
        if self.chance(0.2):
            card["walls"] = sorted(rng.sample(range(6), rng.choice([1, 2, 4])))
            card["fixed"] = self.chance(0.3)
        if self.chance(0.05):
            card["leave_roll"] = rng.choice([2, 3, 5])
        if self.chance(0.05):
            card["start_ban"] = rng.choice(lang.ACTIONS)
        if self.chance(0.1):
            card["enter_if"] = self.condition("enter_if", set())
        if self.chance(0.1):
            card["must_stop"] = True
        if type_ == "planet" and self.chance(0.1):
            card["beside_planets"] = True
        for key in lang.HEX_EFFECTS:
            if self.chance(0.3) and (key, type_) != ("on_collect", "space"):
                card[key] = self.effect(key)
        if "on_collect" in card and self.chance(0.6):
            card["may_collect"] = True
            card["on_collect"] = self.priced(card["on_collect"])
            if self.chance(0.3):
                card["on_collect"] = [["if", self.condition("on_collect", set()), card["on_collect"], []]]
        return card | self.uploaded()

    def condition(self, key: str, known: set[str]) -> list[object]:
        fits = [c for c in lang.CONDITIONS.values() if key in c.where and (not c.needs or c.needs in known)]
        return self.statement(self.rng.choice(fits), known, key, 0)

    def costs(self) -> list[object]:
        return [
            self.statement(self.rng.choice(list(lang.COSTS.values())), set(), "", 0)
            for _ in range(self.rng.choice([1, 1, 2]))
        ]

    def priced(self, effect: list[object]) -> list[object]:
        """An option, sometimes with a price."""
        return [["cost", *self.costs()], *effect] if self.chance(0.25) else effect

    def effect(self, key: str, known: set[str] | None = None, depth: int = 1) -> list[object]:
        """A list of statements; `known`: `Statement.sets` of earlier statements."""
        known = set(known or ({"hex"} if key == "on_enter" else ()))
        statements = []
        for _ in range(self.rng.choice([1, 1, 2, 2, 3])):
            fits = [
                s
                for s in lang.STATEMENTS.values()
                if key in s.where
                and (not s.needs or s.needs in known)
                and (depth < 3 or s.name not in ("if", "may", "once", "roll_table"))
                and (s.name != "once" or self.chance(0.2))
            ]
            aimed = [s for s in fits if s.needs not in ("", "once")]  # rare otherwise
            chosen = self.rng.choice(aimed if aimed and self.chance(0.4) else fits)
            if self.left <= 0:
                chosen = lang.STATEMENTS["add"]
            self.left -= 1
            statements.append(self.statement(chosen, known, key, depth))
            known |= {chosen.sets} - {""}
        return statements

    def statement(self, statement: Statement, known: set[str], key: str, depth: int) -> list[object]:
        if statement.name == "roll_table":
            rows = self.rng.choice([[(1, 6)], [(1, 3), (4, 6)], [(1, 1), (2, 5), (6, 6)]])
            inside = known | {"roll"}
            return ["roll_table", *([low, high, self.effect(key, inside, depth + 1)] for low, high in rows)]
        inside = known | {"once"} if statement.name == "once" else known
        values = [self.argument(argument, inside, key, depth) for argument in statement.arguments]
        if statement.name == "may":
            values = [self.priced(values[0])]
        for argument in reversed(statement.arguments):  # arguments that may be left out
            if argument.default is lang.REQUIRED or not (values[-1] is None or self.chance(0.2)):
                break
            values.pop()
        if statement.name == "target_hex":
            values[2:4] = sorted(values[2:4]) if self.chance(0.3) else [0, 99]
        return [statement.name, *values]

    def argument(self, argument: Argument, known: set[str], key: str, depth: int) -> object:
        rng = self.rng
        if argument.kind == "effect":
            return self.effect(key, known, depth + 1)
        if argument.kind == "costs":
            return self.costs()
        if argument.kind == "condition":
            return self.condition(key, known)
        if argument.kind == "id":
            return rng.choice(self.maps)
        if argument.kind == "word":
            words = [word for word in argument.words if word != "target" or "target" in known]
            return None if argument.default is None and self.chance(0.5) else rng.choice(words)
        needs = {"roll": "roll", "counters": "target"}
        words = [word for word in lang.AMOUNTS if needs.get(word) in (None, *known)]
        if argument.kind == "amount" and words and self.chance(0.3):
            return rng.choice(words)
        small = min(argument.high, SMALL)
        return rng.randint(argument.low, argument.high if self.chance(0.1) else small)
