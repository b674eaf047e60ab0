"""Prints decks for `spacemission components`, and writes the template of a deck file."""

from __future__ import annotations

from collections import Counter
from importlib import resources

from spacemission_env.commands.shared import print_table
from spacemission_env.core.components_files import ComponentsFiles
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.deck import Card, Deck
from spacemission_env.games.planet_hexx.components.language import TYPES
from spacemission_env.games.planet_hexx.components.parse import counts_by_type, load_components
from spacemission_env.games.planet_hexx.words.cards import card_text, story
from spacemission_env.games.planet_hexx.words.icons import ICONS, card_icons


def new_text(file_name: str) -> str:
    data = resources.files("spacemission_env.games.planet_hexx.data")
    return data.joinpath("new_deck.toml").read_text("utf-8").replace("my_deck.toml", file_name)


def summary(deck: Deck) -> Json:
    """Count cards, kinds and points by type, and count the Surprises."""
    points = Counter(kind for mission in deck.missions for kind in mission.points)
    return {
        "size": deck.size,
        "cards": counts_by_type(deck.cards),
        "kinds": {kind: sum(card.type == kind and card.copies > 0 for card in deck.cards) for kind in TYPES},
        "surprises": sum(card.copies for card in deck.cards if card.surprise is not None),
        "points": {kind: points[kind] for kind in TYPES},
        "missing_icons": missing_icons(deck),
    }


def missing_icons(deck: Deck) -> list[str]:
    """The icons of the rulebook's index that no card shows, often because an effect was forgotten."""
    shown = {icon for card in deck.cards for icon in card_icons(card)}
    return [icon for icon in ICONS if icon not in shown]


def print_summary(deck: Deck) -> None:
    summed = summary(deck)
    rows = [[kind, *(summed[what][kind] for what in ("cards", "kinds", "points"))] for kind in TYPES]
    print_table([f"{deck.size} cards", "cards", "kinds", "points of missions"], rows)
    print(f"\n{summed['surprises']} of the cards are Surprises.")
    missing = summed["missing_icons"]
    print(f"No card shows: {', '.join(missing)}" if missing else "Every icon of the index is on some card.")


def everything(deck: Deck) -> Json:
    return summary(deck) | {
        "cards": [
            card.to_json() | {"text": card_text(deck, card), "icons": list(card_icons(card))}
            for card in deck.cards
        ],
        "missions": [mission.to_json() for mission in deck.missions],
    }


def print_everything(deck: Deck) -> None:
    """Print a deck for comparison with the printed cards."""
    for kind in TYPES:
        print(kind.upper())
        for card in deck.cards:
            if card.type == kind:
                print(f"  {_headline(card)}")
                text = card_text(deck, card)
                if text:
                    print(f"      {text}")
        print()
    print("MISSION FILES")
    for mission in deck.missions:
        print(f"  {mission.file}.{mission.side} {mission.name} ({points_in_words(mission.points)})")
        print(f"      {story(mission)}")
    print()
    print_summary(deck)


def _headline(card: Card) -> str:
    data = "" if card.type != "planet" else f", Data {'X' if card.x else card.data}"
    times = "" if card.copies == 1 else f" x{card.copies}" if card.copies else " (starting hex)"
    return f"{card.name}{data}{times}"


def points_in_words(points: tuple[str, ...]) -> str:
    """The types of a Mission File's points as letters, such as A-D-D-O-P-S."""
    return "-".join(kind[0].upper() for kind in points)


FILES = ComponentsFiles(
    name="planet_hexx",
    load=load_components,
    shipped="deck.toml",
    new_text=new_text,
    summary=summary,
    print_summary=print_summary,
    everything=everything,
    print_everything=print_everything,
)
