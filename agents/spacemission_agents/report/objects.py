"""What a report says, as a JSON object: the head that every one has, and the object of `play`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spacemission_agents.arena.figures.shares import endings, seat_figures
from spacemission_agents.arena.jobs import Results
from spacemission_agents.arena.labels import spec_text
from spacemission_env.core.answers import agent_name
from spacemission_env.core.game_spec import DEFAULT_GAME, Components, GameSpec, Rules, find_game, version_of

FORMAT = 1


def header(
    command: str,
    seed: int,
    players: int,
    rules: Rules,
    components: Components,
    game: str | GameSpec = DEFAULT_GAME,
) -> dict[str, Any]:
    """What a result has to say about how it came about."""
    return {
        "type": command,
        "format": FORMAT,
        "env": find_game(game).env,
        "environment_version": version_of(find_game(game)),
        "seed": seed,
        "players": players,
        "rules": rules.for_players(players).to_json(),
        "components": {"name": components.name, "sha256": components.sha256},
    }


def play_report(
    head: dict[str, Any], results: Results, agents: Sequence[str], game: str | GameSpec = DEFAULT_GAME
) -> dict[str, Any]:
    """The JSON of `play`: figures by seat, and every game's outcome. `agents`: by seat, as given."""
    names = [agent_name(agent) for agent in agents]
    seats = []
    for seat, name in enumerate(names):
        marked = results.winners & False
        marked[:, seat] = True
        seats.append({"seat": seat, "agent": name, **seat_figures(results, marked, game)})
    results_of = [
        {
            "seed": int(results.seeds[g]),
            "totals": results.scores[g, :, -1].tolist(),
            "winners": [seat for seat in range(len(names)) if results.winners[g, seat]],
            "rounds": int(results.rounds[g]),
            "reason": "truncated" if results.truncated[g] else "finished",
        }
        for g in range(len(results.seeds))
    ]
    return {
        **head,
        **endings(results),
        "agents": names,
        "specs": [spec_text(agent) for agent in agents],
        "seats": seats,
        "results": results_of,
    }
