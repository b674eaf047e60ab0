"""Planet Hexx in plain Python, written from docs/planet_hexx_rules.md and docs/planet_hexx_cards.md alone."""

from . import actions as actions  # first: these files name each other
from . import map_statements as map_statements  # the language of effects is there once these are read
from . import statements as statements
