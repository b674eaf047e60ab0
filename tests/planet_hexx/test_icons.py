"""The icons of cards come from their effects, and the deck shows all of the rulebook's index."""

from __future__ import annotations

from collections import Counter

import pytest

from spacemission_env.games.planet_hexx.components.language import CONDITIONS, COSTS, STATEMENTS
from spacemission_env.games.planet_hexx.words.icons import ICONS, card_icons
from tests.planet_hexx.decks import CARDS, SHIPPED_DECK, Change, read, setting


def test_the_index_has_36_icons() -> None:
    assert len(ICONS) == 36
    assert len(set(ICONS.values())) == 36


def test_each_icon_is_on_three_kinds_of_cards_of_the_deck_that_ships() -> None:
    counts = Counter(icon for card in SHIPPED_DECK.cards if card.copies for icon in card_icons(card))
    assert [icon for icon in ICONS if counts[icon] < 3] == []
    assert set(counts) == set(ICONS)


@pytest.mark.parametrize(
    ("card", "icons"),
    [
        ("starry_deep", ""),
        ("wormhole", "space stop"),
        ("slipstream", "through add"),
        ("becalmed_zone", "not_allowed move_banned rolled_number"),
        ("radio_shadow", "not_allowed upload_banned start"),
        ("great_comet", "enters_play planet_add all"),
        ("glimmer", "collect_alternative planet_has collect cause_effect"),
        ("moody_world", "draw collect_alternative expend collect roll rolled_number cause_effect"),
        ("miss_galaxy", "draw expend add"),
        ("cute_furry_things", "expend add all"),
        ("duplicant", "discard event upload space"),
        ("pack_and_go_androids", "move upload expend"),
        ("tailgaters", "use_event_action move"),
        ("lost_tourists", "discard draw store_has add all cause_effect"),
        ("paperwork", "draw use_any_action dilemma add"),
        ("plot_twist", "draw roll rolled_number delete cause_effect"),
        ("encryption_muddle", "draw not_allowed upload_banned"),
        ("data_bomb", "planet planet_has planet_sub"),
        ("fertiliser_drone", "draw planet planet_add"),
        ("recycling_bin", "hex_any"),
        ("big_red_button", "dump object"),
        ("eager_interns", "any_action"),
    ],
)
def test_a_card_shows_what_its_effects_say(card: str, icons: str) -> None:
    assert card_icons(CARDS[card]) == tuple(icons.split())


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
