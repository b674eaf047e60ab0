"""What can be played here: games with their options, and the agents that are on offer for each."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import Any

from spacemission_agents.commands.agents import about
from spacemission_agents.models.policy import SHIP
from spacemission_agents.tree_search.agent import SearchAgent
from spacemission_env.core.agents_api import agent_entries, make_agent
from spacemission_env.core.answers import label_and_spec
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, loadable_games

SEARCHES = (50, 200, 1000)  # simulations that are offered of an agent that searches


@lru_cache(maxsize=8)
def catalogue(extra: tuple[str, ...]) -> list[dict[str, Any]]:
    """Every game, the default one first: what a page needs to make one.

    Args:
        extra: agents that the command line names.
    """
    first = sorted(loadable_games(), key=lambda spec: spec.name != DEFAULT_GAME)
    return [_game(spec, extra) for spec in first]


def _game(spec: GameSpec, extra: tuple[str, ...]) -> dict[str, Any]:
    return {
        "name": spec.name,
        "title": spec.title,
        "players": [spec.min_players, spec.max_players],
        "default_players": spec.table_players(None),
        "options": _options(spec),
        "agents": [{"name": name, "about": line} for name, (_, line) in offers(spec, extra).items()],
    }


def _options(spec: GameSpec) -> list[dict[str, Any]]:
    rules = spec.make_rules(None)
    words = explained(type(rules).__doc__ or "")
    return [
        {"name": name, "value": value, "about": words.get(name, "")}
        for name, value in rules.to_json().items()
    ]


def explained(docstring: str) -> dict[str, str]:
    """What a class says of its attributes."""
    part = docstring.partition("Attributes:")[2]
    found = re.findall(r"^ {8}(\w+): (.*?)(?=^ {8}\w+: |\Z)", part, re.DOTALL | re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}


def _names(candidate: str, spec: GameSpec) -> list[str]:
    # Of one that searches, with several numbers of simulations; none where it needs another parameter, or
    # does not play this game.
    for full in (candidate, f"{candidate}:{SEARCHES[0]}"):
        with suppress(SpaceMissionError):
            searches = isinstance(make_agent(full, spec), SearchAgent)
            return [f"{candidate}:{n}" for n in SEARCHES] if searches else [full]
    return []


@lru_cache(maxsize=64)
def _offers(game: str, spec: GameSpec, extra: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for name, entry in sorted(agent_entries(spec).items()):
        for candidate in (name, *(f"{name}:{shipped}" for shipped in SHIP)):
            full = _names(candidate, spec)
            if full:
                found |= {one: (one, about(entry)) for one in full}
                break
    for text in extra:
        label, agent_spec = label_and_spec(text)
        with suppress(SpaceMissionError):
            make_agent(agent_spec, spec)
            found[label or agent_spec] = agent_spec, "of your own"
    return found


def offers(spec: GameSpec, extra: tuple[str, ...] = ()) -> dict[str, tuple[str, str]]:
    """Agents on offer for a game by name: the spec, and a line on it."""
    return _offers(spec.name, spec, extra)
