"""Tests texts and icons of cards, and stories of missions.

docs/planet_hexx_deck.md has the texts and icons of all shipped cards; `tests/docs` compares it with the code.
"""

import copy
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from spacemission_env.core.errors import ComponentsError
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.deck import Card, Mission
from spacemission_env.games.planet_hexx.components.language import (
    CONDITIONS,
    COSTS,
    EFFECTS,
    STATEMENTS,
    WHO,
    Statement,
)
from spacemission_env.games.planet_hexx.components.parse import components_from_data
from spacemission_env.games.planet_hexx.words.cards import PHRASES, card_text, story
from spacemission_env.games.planet_hexx.words.icons import ICONS, card_icons
from tests.planet_hexx.decks import DATA, DECK, SHIPPED_DECK, Change, card_of, read, setting

NESTED = {"rows", "condition", "then", "otherwise", "effect", "costs"}


def text_of(card_id: str, **changes: object) -> str:
    """The text of a card of the tests' deck with changed keys."""
    deck = read(lambda data: card_of(data, card_id).update(changes))
    return card_text(deck, next(card for card in deck.cards if card.id == card_id))


def event(*statements: object, **changes: object) -> str:
    return text_of("eager_interns", play=[list(statements)], **changes)


@pytest.mark.parametrize("card", SHIPPED_DECK.cards, ids=lambda card: card.id)
def test_every_text_is_short_and_whole_sentences(card: Card) -> None:
    text = card_text(SHIPPED_DECK, card)
    says_nothing = not any((card.play, card.walls, card.leave_roll, card.start_ban, card.beside_planets,
                            *(getattr(card, key) for key in EFFECTS)))  # fmt: skip
    assert (text == "") == says_nothing
    assert len(text) <= 200
    assert text == "" or (text[0].isupper() and text.endswith("."))
    assert not re.search(r"[{}\[\]_]|  |\.\.|;\.|None|\b(a [AEIOU]|an [^AEIOU])", text), text
    for sentence in re.split(r"(?<=\.) ", text):
        assert not sentence or sentence[0].isupper() or sentence[0].isdigit()


def numbers_in(value: object, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The path of every number in an effect."""
    if type(value) is int:
        yield path
    for i, entry in enumerate(value if isinstance(value, list) else ()):
        yield from numbers_in(entry, (*path, i))


def test_another_number_in_an_effect_is_another_text() -> None:
    tried = 0
    for i, entry in enumerate(DATA["card"]):
        before = card_text(DECK, DECK.cards[i])
        for key in (*EFFECTS, "cost"):
            for path in numbers_in(entry.get(key, [])):
                data = copy.deepcopy(DATA)
                place: list = data["card"][i][key]
                for step in path[:-1]:
                    place = place[step]
                place[path[-1]] += -1 if place[path[-1]] in (99, 12) else 1
                try:
                    deck = components_from_data(data, "changed")
                except ComponentsError:  # such as rows of a table that now lie apart
                    continue
                assert card_text(deck, deck.cards[i]) != before, (entry["id"], path)
                tried += 1
    assert tried > 100


def test_every_word_of_an_argument_is_in_the_text() -> None:
    for statement in STATEMENTS.values():
        if "window" in statement.needs or any(a.kind in ("effect", "table") for a in statement.arguments):
            continue
        for i, argument in enumerate(statement.arguments):
            if argument.kind != "word":
                continue
            before = [["target_hex", "hex", "anywhere", 0, 99]] if statement.needs == "hex" else []
            said = {
                word: event(*before, *_before(word), _with(statement, i, word)) for word in argument.words
            }
            assert len(set(said.values())) == len(argument.words), (statement.name, said)


def _before(word: str) -> list[object]:
    return [["target_seat", "others"]] if word == "target" else []


def _with(statement: Statement, i: int, word: str) -> list[object]:
    values = []
    for j, argument in enumerate(statement.arguments):
        if j == i:
            values.append(word)
        elif argument.kind == "word" and j < i:
            values.append(argument.words[0])
        elif argument.kind == "word" and argument.default is None:
            break
        else:
            values.append(argument.words[0] if argument.kind == "word" else max(1, argument.low))
    return [statement.name, *values]


def test_every_phrase_of_the_table_can_be_said() -> None:
    for statement in (*STATEMENTS.values(), *CONDITIONS.values(), *COSTS.values()):
        for phrase in re.findall(r"\{(\w+)\}", statement.words):
            assert phrase in PHRASES or phrase in NESTED, (statement.name, phrase)


SAID = (
    "Draw 2 cards.",
    "Choose another player; they draw 2 cards.",
    "The active player draws 2 cards.",
    "Each player draws 2 cards.",
    "Each other player draws 2 cards.",
)


@pytest.mark.parametrize(("who", "said"), zip(WHO, SAID, strict=True))
def test_a_verb_goes_with_who_does_it(who: str, said: str) -> None:
    assert event(*_before(who), ["draw", 2, who]) == said


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        ([["discard", 3, "you", "object"]], "Discard 3 Objects."),
        ([["roll"], ["draw", "roll"]], "Roll the die; draw that many cards."),
        ([["target_seat", "others"], ["draw", "counters"]],
         "Choose another player; draw a card for each of their Snooger counters."),
        ([["if", ["planet_ge", 2], [["draw", 1]], []]], "If the Planet you are on has at least 2 Data, draw a card."),
        ([["target_hex", "walled", "linked", 0, 0], ["rotate"]],
         "Choose a related Hex with walls and with 0 Data; rotate it."),
        ([["relocate", "planet", "linked"]], "Put your Ship on a related Planet."),
        ([["planet_add", 1]], "Add 1 Data to the Planet you are on."),
        ([["may", [["expend", 1], ["draw", 2]]]], "You may expend 1 Data and draw 2 cards."),
        ([["may", [["upload_now", "space"]]]], "You may Upload a Space from your hand at once."),
        ([["target_hex", "planet", "adjacent", 1, 5], ["planet_sub", 1], ["planet_add", 2]],
         "Choose a neighbouring Planet with 1 to 5 Data; subtract 1 Data from it. Add 2 Data to that Planet."),
        ([["target_hex", "hex", "elsewhere", 0, 3], ["move_hex"]],
         "Choose a Hex with at most 3 Data that you are not on; move it to another legal place."),
        ([["show_top", 3], ["show_hand", "you"]], "Show the top 3 cards of the Deck. Show your hand."),
        ([["delete_upload", "all"]], "Delete a card from any player's Mission File."),
        ([["roll_table", [1, 1, []], [2, 6, [["add", 1]]]], ["draw", 1]],
         "Roll the die. 1: nothing happens. 2–6: add 1 Data. After that, draw a card."),
        ([["if", ["on", "space"], [["draw", 1], ["if", ["data_ge", 2], [["add", 1]], [["add", 2]]]], [["add", 3]]]],
         "If you are on a Space, draw a card and (if you have at least 2 Data, add 1 Data; otherwise, add 2 Data); "
         "otherwise, add 3 Data."),
        ([["roll_table", [1, 6, [["roll_table", [1, 3, []], [4, 6, [["draw", 1]]]]]]]],
         "Roll the die. 1–6: roll the die (1–3: nothing happens; 4–6: draw a card)."),
    ],
)  # fmt: skip
def test_events_of_other_decks(statements: list[object], said: str) -> None:
    assert event(*statements) == said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"on_stop": [["may", [["draw", 1, "all"]]]]},
         "If you Stop here, you may do this: each player draws a card."),
        ({"on_stop": [["if", ["data_ge", 3], [["add", 1]], [["draw", 1]]]]},
         "If you Stop here: if you have at least 3 Data, add 1 Data; otherwise, draw a card."),
        ({"on_stop": [["add", 1], ["forbid", "move"]]},
         "If you Stop here, add 1 Data; you may take no Move Actions this turn."),
        ({"on_collect": [["draw", 1], ["expend", 1]]},
         "Instead of Collecting 1 Data here, draw a card; expend 1 Data."),
        ({"on_collect": [["roll_table", [1, 3, []], [4, 6, [["draw", 1]]]]], "may_collect": True},
         "Instead of Collecting 1 Data here, you may roll the die. 1–3: nothing happens. 4–6: draw a card."),
        ({"on_enter": [["rotate"]], "walls": [1]}, "Walls on 1 edge. When this is Played, rotate this Planet."),
        ({"alt_upload": {"cost": [], "anywhere": True}}, "Alternative Upload cost: nothing, wherever you are."),
        ({"beside_planets": True}, "Planets may lie next to this Planet."),
        ({"on_through": [["once", [["expend", 1]]]], "on_start": [["once", [["may", [["add", 2]]]]]]},
         "When you Move through here, once per turn, expend 1 Data. If you Start here, once per turn, you may add 2 Data."),
        ({"must_stop": True, "enter_if": ["data_ge", 1]},
         "You may Move onto this Hex only if you have at least 1 Data. Your Move ends when you Move onto this Hex."),
        ({"enter_if": ["never"], "walls": [0, 1], "fixed": True},
         "Walls on 2 edges, always in the same directions. No Ship may Move onto this Hex."),
        ({"on_collect": [["if", ["printed_ge", 3], [["collect", 2]], []]], "may_collect": True},
         "If this Planet has at least 3 printed Data, you may Collect 2 Data here instead of 1."),
        ({"on_upload": [["draw", 2]], "on_turn": [["modify_collect", -1, "others"]]},
         "When you Upload this, draw 2 cards. While this is in your Mission File, when your turn begins, "
         "each other player Collects 1 Data less each time this turn."),
    ],
)  # fmt: skip
def test_hexes_of_other_decks(changes: Json, said: str) -> None:
    assert text_of("big_gus", **changes) == said


@pytest.mark.parametrize(
    ("on", "said"),
    [
        (["map", "refresh"], "declares a Map or Refresh Action"),
        (["event", "roll", "landed"], "declares an Event Action, rolls the die or Lands"),
        (["surprise"], "plays a Surprise"),
        (["turn_begins", "turn_ends"], "begins a turn or has ended their Actions"),
        (["stopped", "uploaded"], "Stops on a Hex or has Uploaded a card"),
    ],
)
def test_hx_44_windows_in_words(on: list[str], said: str) -> None:
    assert event(["draw", 1], surprise={"on": on}) == f"Surprise, when another player {said}: draw a card."


def test_several_costs() -> None:
    cost = [["expend", 2], ["use_action", 2], ["discard", 2, "alien"]]
    assert event(["draw", 1], cost=cost).startswith(
        "Expend 2 Data, use 2 more Actions and discard 2 Aliens to Play this."
    )


def test_related_hexes_are_named_only_where_the_ship_is_on_the_card() -> None:
    effect = [["relocate", "planet", "linked"]]
    assert text_of("alpha_colony").endswith("put your Ship on Beta Colony or Gamma Colony.")
    assert "When this is Played, put your Ship on a related Planet." in text_of(
        "alpha_colony", on_enter=effect
    )
    theirs = [["target_seat", "others"], ["relocate", "planet", "linked", "target"]]
    assert text_of("alpha_colony", on_stop=theirs).endswith("put their Ship on a related Planet.")


def test_a_story_with_its_blanks_filled() -> None:
    routine = DECK.missions[0]
    names = [
        "The Gossip Moths",
        "A Plot Twist",
        "Engine Trouble",
        "A Loaded Die",
        "Glimmer",
        "The Starry Deep",
    ]
    assert story(routine, names) == (
        "Take a Loaded Die to Glimmer, they had said, and be home for supper. Nobody had said a word about the "
        "Gossip Moths. A Plot Twist made us late, Engine Trouble made us famous, and we came home by way of the "
        "Starry Deep to find the supper gone."
    )
    assert story(routine, [*names[:5], None]).endswith("by way of [Space] to find the supper gone.")


@pytest.mark.parametrize("mission", SHIPPED_DECK.missions, ids=lambda mission: mission.name)
def test_every_story_names_all_six_cards(mission: Mission) -> None:
    names = ["Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot"]
    told = story(mission, names)
    assert all(told.count(name) == 1 for name in names)
    unfilled = story(mission)
    assert sorted(re.findall(r"\[(\w+)\]", unfilled)) == sorted(kind.capitalize() for kind in mission.points)
    assert "{" not in told + unfilled


def test_the_index_has_36_icons() -> None:
    assert len(ICONS) == 36
    assert len(set(ICONS.values())) == 36


def test_each_icon_is_on_three_kinds_of_cards_of_the_deck_that_ships() -> None:
    counts = Counter(icon for card in SHIPPED_DECK.cards if card.copies for icon in card_icons(card))
    assert [icon for icon in ICONS if counts[icon] < 3] == []
    assert set(counts) == set(ICONS)


@pytest.mark.parametrize(
    ("change", "icons"),
    [
        (
            setting("eager_interns", "play", [[["may", [["if", ["on", "space"], [["dump", 1]], []]]]]]),
            "dump space",
        ),
        (setting("eager_interns", "cost", [["discard", 1, "planet"]]), "discard any_action planet"),
        (setting("eager_interns", "play", [[["target_hex", "walled", "anywhere", 0, 9], ["rotate"]]]), ""),
        (setting("eager_interns", "play", [[["draw", 1, "others"]]]), "draw all"),
    ],
)  # fmt: skip
def test_other_effects_show_other_icons(change: Change, icons: str) -> None:
    (card,) = [card for card in read(change).cards if card.id == "eager_interns"]
    assert set(card_icons(card)) - {"cause_effect"} == set(icons.split())


def test_the_language_names_no_other_icons() -> None:
    for statement in (*STATEMENTS.values(), *CONDITIONS.values(), *COSTS.values()):
        named = {*statement.icons, *(icon for a in statement.arguments for icon in a.icons.values())}
        assert named <= set(ICONS), statement.name
