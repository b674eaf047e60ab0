"""Lists the games that can be played, with their options and agents."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache

from spacemission_agents.models.policy import SHIP
from spacemission_agents.search.agent import SearchAgent
from spacemission_env.core.agents import Agent, agent_names, label_and_spec, make_agent
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game, loadable_games
from spacemission_env.core.reading import Json

SEARCHES = (50, 200, 1000)  # numbers of simulations with which a search agent is offered


@lru_cache(maxsize=8)
def catalogue(extra: tuple[str, ...]) -> list[Json]:
    """All games, the default game first; `extra`: agents that the command line names."""
    games = []
    for spec in sorted(loadable_games(), key=lambda spec: spec.name != DEFAULT_GAME):
        rules = spec.make_rules(None)
        about_options = explained(type(rules).__doc__ or "")
        game = {
            "name": spec.name,
            "title": spec.title,
            "players": [spec.min_players, spec.max_players],
            "default_players": spec.table_players(None),
            "options": [
                {"name": name, "value": value, "about": about_options.get(name, "")}
                for name, value in rules.to_json().items()
            ],
            "agents": [{"name": name, "about": words} for name, (_, words) in offers(spec, extra).items()],
            "how_to_play": spec.how_to_play,
        }
        games.append(game)
    return games


def explained(docstring: str) -> dict[str, str]:
    """The descriptions of the attributes in a class's docstring, by name."""
    part = docstring.partition("Attributes:")[2]
    found = re.findall(r"^ {8}(\w+): (.*?)(?=^ {8}\w+: |\Z)", part, re.DOTALL | re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}


def _listed(candidate: str, spec: GameSpec) -> dict[str, str]:
    """The names under which an agent is listed, each with its description; a search has several names."""
    for full in (candidate, f"{candidate}:{SEARCHES[0]}"):
        with suppress(SpaceMissionError):
            agent = make_agent(full, spec)
            names = [f"{candidate}:{n}" for n in SEARCHES] if isinstance(agent, SearchAgent) else [full]
            return dict.fromkeys(names, about_for_players(agent))
    return {}


def about_for_players(agent: Agent) -> str:
    """The agent's own description for players, or else the first line of its class's docstring."""
    return agent.for_players or (type(agent).__doc__ or "").strip().partition("\n")[0]


def check_agents(extra: tuple[str, ...]) -> None:
    """Raise SpaceMissionError if an agent fits no installed game."""
    for text in extra:
        label, agent_spec = label_and_spec(text)
        if not any((label or agent_spec) in offers(spec, extra) for spec in loadable_games()):
            make_agent(agent_spec, find_game())  # raises an error with the reason


@lru_cache(maxsize=64)
def offers(spec: GameSpec, extra: tuple[str, ...] = ()) -> dict[str, tuple[str, str]]:
    """The agents that are offered for a game: spec and description by name."""
    found: dict[str, tuple[str, str]] = {}
    for name in agent_names(spec):
        for candidate in (name, *(f"{name}:{shipped}" for shipped in SHIP)):
            listed = _listed(candidate, spec)
            if listed:
                found |= {one: (one, words) for one, words in listed.items()}
                break
    for text in extra:
        label, agent_spec = label_and_spec(text)
        with suppress(SpaceMissionError):
            found[label or agent_spec] = agent_spec, about_for_players(make_agent(agent_spec, spec))
    return found
