"""Provides the shipped deck, the fixed deck of the tests, and changed copies of it."""

import copy
import json
import tomllib
from collections.abc import Callable
from importlib import resources

from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.deck import Deck
from spacemission_env.games.planet_hexx.components.parse import components_from_data, load_components
from tests.support.planet_hexx_decks import OWN_DECK

Change = Callable[[Json], object]

SHIPPED = resources.files("spacemission_env.games.planet_hexx.data").joinpath("deck.toml").read_bytes()
SHIPPED_DATA = tomllib.loads(SHIPPED.decode())
SHIPPED_DECK = load_components()

DATA = tomllib.loads(OWN_DECK.read_text("utf-8"))
DECK = components_from_data(DATA, OWN_DECK.name)
CARDS = {card.id: card for card in DECK.cards}


def plain(value: object) -> object:
    """Convert tuples to lists."""
    return [plain(entry) for entry in value] if isinstance(value, tuple | list) else value


def without_digest(deck: Deck) -> Json:
    """A deck as in a record, without the digest."""
    return {key: value for key, value in json.loads(json.dumps(deck.to_json())).items() if key != "sha256"}


def changed(change: Change, data: Json = DATA) -> Json:
    """The deck of the tests as data, with one change."""
    data = copy.deepcopy(data)
    change(data)
    return data


def card_of(data: Json, card_id: str) -> Json:
    """The table of a card."""
    return next(entry for entry in data["card"] if entry["id"] == card_id)


def setting(card_id: str, key: str, value: object) -> Change:
    """A change of one key of one card."""
    return lambda data: card_of(data, card_id).__setitem__(key, value)


def read(change: Change) -> Deck:
    """Read the deck of the tests with one change."""
    return components_from_data(changed(change), "my.toml")
