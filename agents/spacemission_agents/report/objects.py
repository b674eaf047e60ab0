"""What a report says, as a JSON object: the head that every one has, and the object of `play`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spacemission_agents.arena.batch import Results
from spacemission_agents.arena.figures.shares import endings, seat_figures
from spacemission_env.games.space_mission.components import Components
from spacemission_env.games.space_mission.options import Rules
from spacemission_env.version import __version__

FORMAT = 1


def header(command: str, seed: int, players: int, rules: Rules, components: Components) -> dict[str, Any]:
    """What a result has to say about how it came about."""
    return {
        "type": command,
        "format": FORMAT,
        "env": "space_mission_v0",
        "environment_version": __version__,
        "seed": seed,
        "players": players,
        "rules": rules.for_players(players).to_json(),
        "components": {"name": components.name, "sha256": components.sha256},
    }


def play_report(head: dict[str, Any], results: Results, names: Sequence[str]) -> dict[str, Any]:
    """The JSON of `play`: figures by seat, and every game's outcome."""
    seats = []
    for seat, name in enumerate(names):
        marked = results.winners & False
        marked[:, seat] = True
        seats.append({"seat": seat, "agent": name, **seat_figures(results, marked)})
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
    return {**head, **endings(results), "agents": list(names), "seats": seats, "results": results_of}
