"""Implements Planet Hexx a second time, from docs/planet_hexx_rules.md and docs/planet_hexx_cards.md only."""

from . import actions as actions  # first, because these modules import each other
from . import map_statements as map_statements  # registers the statements of effects
from . import statements as statements
