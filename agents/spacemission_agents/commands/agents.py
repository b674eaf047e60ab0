"""Defines `spacemission agents`, which lists agents."""

from __future__ import annotations

from importlib.metadata import EntryPoint

from spacemission_env.commands.shared import GameOption, Json, Seed, emit_json, print_table
from spacemission_env.core.errors import first_line
from spacemission_env.core.game_spec import DEFAULT_GAME


def agents(game: GameOption = DEFAULT_GAME, seed: Seed = 0, as_json: Json = False) -> None:
    """List the agents of a game.

    In --agents you can also use module:Class for a class of your own, and label=AGENT to give an agent a
    name. --seed has no effect.
    """
    from spacemission_env.core.agents import agent_entries
    from spacemission_env.core.game_spec import find_game

    spec = find_game(game)
    rows = [{"agent": name, "about": about(entry)} for name, entry in sorted(agent_entries(spec).items())]
    if as_json:
        emit_json({"game": spec.name, "agents": rows})
        return
    print_table(("agent", "what it does"), [(row["agent"], row["about"]) for row in rows], left=2)


def about(entry: EntryPoint) -> str:
    """The first line of the docstring of an agent's class."""
    try:
        lines = (entry.load().__doc__ or "").strip().splitlines()
    except Exception as error:  # an agent of another package may fail; still list the others
        return f"cannot be loaded: {type(error).__name__}: {first_line(error)}"
    return lines[0] if lines else ""
