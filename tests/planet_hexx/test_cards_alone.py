"""Tests each card of the shipped deck alone: played, laid, moved through, collected from, uploaded.

Each use begins in a position made by hand and continues with random moves, in the engine and in the
independent rules, which read the effects from the deck file by themselves. The test of a card fails if the
two differ, or if a statement of the card was never carried out.
"""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from spacemission_env.core.reading import Json
from tests.oracle.planet_hexx import effects
from tests.oracle.planet_hexx.board import Cell
from tests.oracle.planet_hexx.cards import DECK_FILE, ICONS, Program, rows_of
from tests.oracle.planet_hexx.moves import DIRECTION, PASS, PLAY
from tests.support.planet_hexx_pair import Situation

DATA = rows_of(DECK_FILE)
CARDS = {row["id"]: row for row in DATA["card"]}
HEXES = ("planet", "space")
HERE = (0, 1)  # cell of a tested hex: between the Space Base and (0, 2)
LINES = 3  # least number of trials
MOST_LINES = 60  # most trials to carry out each statement of the card
DECISIONS = 14  # of a trial
MAIN = (0, "MAIN")
SOUTH_EAST = 1

Opening = Callable[[Situation, str], object]
Given = Json


def program_parts(program: Program) -> Iterator[tuple[str, str]]:
    """All statements of an effect, nested ones included: name and arguments."""
    for name, *arguments in program:
        yield name, repr(arguments)
        inside = {"if": arguments[1:], "may": arguments}.get(name, [])
        for effect in [row[2] for row in arguments] if name == "roll_table" else inside:
            yield from program_parts(effect)


def parts_of(card: str, keys: tuple[str, ...]) -> set[tuple[str, str]]:
    """The statements of some keys of a card."""
    row = CARDS[card]
    programs = [row[key] for key in keys if key in row and key != "play"]
    programs += row.get("play", []) if "play" in keys else []
    return {part for program in programs for part in program_parts(program)}


def others(card: str, *names: str) -> list[str]:
    """The names without the tested card."""
    return [name for name in names if name != card]


def position(card: str, **more: object) -> Given:
    """A position in which every effect changes something."""
    related = CARDS[card].get("related", ["wormhole"])
    board: dict[Cell, object] = {
        HERE: "starry_deep",
        (0, 2): "wormhole",
        (-1, 0): ("ribbon_reef", 0, 1),
        (-2, 0): ("soggy_moon", 3),
        (-2, 1): ("new_wisconsin", 9),
    }
    board |= dict(zip(((1, 2), (-1, 3)), related, strict=False))
    given: Given = {
        "seats": 3,
        "board": board,
        "hands": [
            others(card, "eager_interns", "detour", "data_bomb", "pebble", "lot_of_nothing", "asteroid_belt"),
            others(card, "tax_collectors", "paperwork", "glimmer"),
            others(card, "time_borrowers", "black_hole", "recycling_bin"),
        ],
        "ships": [(0, 0), (-2, 0), (0, 0)],
        "stores": [7, 5, 4],
        "counters": [0, 1, 2],
        "uploaded": [
            others(card, "slipstream"),
            others(card, "lost_tourists", "pocket_rocket"),
            others(card, "big_gus"),
        ],
        "discard": others(card, "gossip_moths", "unstable_reactor", "harvest_scoop", "festival_world"),
        "data": DATA,
    }
    hand = more.pop("hold", [])
    given["hands"][0] = [*given["hands"][0], *hand]
    return {**given, **more}


class Use(NamedTuple):
    """One use of a card."""

    keys: tuple[str, ...]  # keys of the card; all their effects must be carried out
    open: Opening  # the first moves, up to the effect of the card
    variants: list[Given]  # positions; the use is possible in the first


def played(game: Situation, card: str) -> Situation:
    return game.play(card)


def event_use(card: str) -> Use:
    hold = {"hold": [card]}
    poor = hold | {"ships": [(1, 0), (0, 0), HERE], "stores": [1, 1, 9]}  # on a Planet, with little Data
    tops = [{"deck": others(card, *top)[:1]} for top in (("card_sharks", "duplicant"), ("static", "detour"))]
    return Use(("play",), played, [hold, poor, *(hold | top for top in tops)])


DOINGS: dict[str, Callable[[Situation], object]] = {
    "map": lambda game: game.play("lot_of_nothing").cell(-1, 1),
    "move": lambda game: game.fly(),
    "upload": lambda game: game.upload("detour"),
    "refresh": lambda game: game.discards("pebble"),
    "event": lambda game: game.play("eager_interns"),
    "roll": lambda game: game.fly(),
    "landed": lambda game: game.fly(0),
    "surprise": lambda game: game.play("eager_interns").play("red_tape"),
}


def surprise_use(card: str, window: str) -> Use:
    """Seat 1 answers an action of seat 0; in a `surprise` window, a Surprise of seat 2."""

    def answer(game: Situation, card: str) -> None:
        DOINGS[window](game)
        assert game.asked == (1, "WINDOW")
        game.play(card)

    theirs = ["black_hole", "recycling_bin", *(["red_tape"] if window == "surprise" else [])]
    base = position(card)["hands"]
    hands = [base[0], [*base[1], card], theirs]
    return Use(("play",), answer, [{"hands": hands}, {"hands": hands, "stores": [5, 3, 0]}])


def lying(card: str, data: int | None = None, rotation: int = 0) -> Given:
    """The tested hex lies on the way."""
    row = CARDS[card]
    printed = row.get("data", 0)
    laid = (card, (3 if printed == "X" else printed) if data is None else data, rotation)
    return {"board": {**position(card)["board"], HERE: laid}}


def without_related(given: Given) -> Given:
    return {"board": {cell: hex_ for cell, hex_ in given["board"].items() if cell not in ((1, 2), (-1, 3))}}


def fly_there(game: Situation, card: str) -> None:
    game.fly()
    if game.asked == MAIN or DIRECTION + SOUTH_EAST not in game.legal():
        return  # a wall
    game.go(SOUTH_EAST)


def hex_uses(card: str) -> Iterator[Use]:
    """Flights to the hex and further, and starts from it."""
    row = CARDS[card]
    keys = tuple(key for key in ICONS if key in row and key not in ("on_enter", "on_start"))
    there = lying(card)
    turned = [lying(card, rotation=k) for k in range(6)] if row.get("walls") else []
    start = {"ships": [HERE, (-2, 0), HERE]}
    yield Use(("on_start",), lambda game, card: None, [there | start, *(other | start for other in turned)])
    if row["type"] == "planet":
        turned += [lying(card, 1), lying(card, 0), there | {"stores": [0, 0, 0]}]
    yield Use(keys, fly_there, [there, without_related(there), *turned])


def uploads(card: str) -> Iterator[Use]:
    given = {"hold": [card], "uploaded": []}
    yield Use((), lambda game, card: game.upload(card), [given])
    if "alt_upload" in CARDS[card]:
        on_planet = {"ships": [(1, 0)]} if CARDS[card]["alt_upload"]["anywhere"] else {}
        yield Use((), lambda game, card: game.upload_otherwise(card), [given | on_planet])


def uses(card: str) -> Iterator[Use]:
    """All uses of a card."""
    row = CARDS[card]
    if row["type"] in HEXES:
        yield from hex_uses(card)
        if row["copies"]:
            hold = {"hold": [card]}
            yield Use(("on_enter",), lambda game, card: game.play(card), [hold, hold | {"stores": [0, 0, 0]}])
    else:
        surprise = row.get("surprise", {"on": [], "own_turn": True})
        if surprise["own_turn"]:
            yield event_use(card)
        for window in surprise["on"]:
            yield surprise_use(card, window)
    if row["copies"]:
        yield from uploads(card)


def go_on(game: Situation, rng: random.Random) -> None:
    """Make random moves, rarely passes, for at most DECISIONS moves of the turn."""
    for _ in range(DECISIONS):
        if game.over or game.table.active != 0:
            return
        legal = game.legal()
        some = [move for move in legal if move != PASS]
        game.step(rng.choice(some if some and rng.random() < 0.85 else legal))


@pytest.fixture
def carried_out(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """Collect the statements that the independent rules carry out."""
    seen: set[tuple[str, str]] = set()

    def watched(name: str, statement: Callable[..., object]) -> Callable[..., object]:
        def do(effect: effects.Effect, *arguments: object) -> object:
            seen.add((name, repr(list(arguments))))
            return statement(effect, *arguments)

        return do

    for name, statement in list(effects.STATEMENTS.items()):
        monkeypatch.setitem(effects.STATEMENTS, name, watched(name, statement))
    return seen


@pytest.mark.parametrize("card", CARDS)
def test_a_card_does_what_its_file_says(card: str, carried_out: set[tuple[str, str]]) -> None:
    tried = 0
    for use in uses(card):
        wanted = parts_of(card, use.keys)
        carried_out.clear()
        line = 0
        while line < LINES or (not wanted <= carried_out and line < MOST_LINES):
            given = position(card, **use.variants[line % len(use.variants)])
            game = Situation(seed=1000 + line, **given)
            if use.open is not played or line % len(use.variants) == 0 or game.can(PLAY, card):
                use.open(game, card)
            go_on(game, random.Random(line))
            line += 1
        assert wanted <= carried_out, f"never carried out: {wanted - carried_out}"
        tried += 1
    assert tried >= (2 if CARDS[card]["copies"] else 1)
