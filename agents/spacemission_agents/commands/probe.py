"""Defines `spacemission probe`, which scores an agent in positions with known right moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from spacemission_env.commands.shared import GameOption, Json, Seed, emit_json, print_table, progress
from spacemission_env.core import reading
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import DEFAULT_GAME

if TYPE_CHECKING:  # the compiled rules are loaded only when an agent is asked
    from spacemission_agents.probing import Answers


def probe(
    agent: Annotated[str, typer.Argument(help="random, greedy, policy:PATH, module:Class, …")],
    theme: Annotated[str | None, typer.Option("--theme", help="Ask only the probes of this theme.")] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, max=10_000, help="How often to ask each probe.")
    ] = 8,
    show: Annotated[bool, typer.Option("--show", help="Print each probe and the agent's moves.")] = False,
    file: Annotated[
        list[str] | None, typer.Option("--file", help="A probe file to use instead of the game's own.")
    ] = None,
    game: GameOption = DEFAULT_GAME,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Ask an agent for moves in positions with known right moves; the score is the share of right moves.

    Each repetition has another decision key, which matters to agents that draw their moves.
    """
    from spacemission_agents.arena.games import agent_spec
    from spacemission_agents.game_agents import find_game_agents
    from spacemission_env.core.agents import agent_name, make_agent
    from spacemission_env.core.game_spec import find_game

    spec = find_game(game)
    asking = find_game_agents(spec).probes
    if asking is None:
        raise AgentError(f"probe: {spec.title} has no probes")
    probes = asking.of_theme(asking.load_probes(file), theme)
    made, agent = make_agent(agent_spec(agent), spec), agent_name(agent)
    answers: list[Answers] = []
    with progress("probing", len(probes)) as done:
        for one in probes:
            answers += asking.ask_all(made, [one], seed, repeat, agent)
            done(1)
    report: reading.Json = {"agent": agent, "seed": seed, "repeat": repeat, **asking.summary(answers)}
    if as_json:
        if show:
            report["answers"] = [_answers_json(one) for one in answers]
        emit_json(report)
        return
    if show:
        print("\n".join(_shown(one) for one in answers))
    print(f"{agent}: {report['score']:.1%} of {len(probes)} probes right, seed {seed}, each asked {repeat}x")
    rows = [[row["theme"], f"{row['score']:.1%}", str(row["probes"])] for row in report["themes"]]
    print_table(("theme", "right", "probes"), rows)


def _played(one: Answers) -> dict[int, int]:
    """Number of times that each action was played, most often first."""
    counts = {action: one.actions.count(action) for action in sorted(set(one.actions))}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _answers_json(one: Answers) -> reading.Json:
    move = one.probe.game.move
    return {
        "id": one.probe.id,
        "theme": one.probe.theme,
        "score": one.score,
        "right": [move(action) for action in one.probe.right],
        "played": [{"move": move(action), "times": times} for action, times in _played(one).items()],
    }


def _shown(one: Answers) -> str:
    probe, game = one.probe, one.probe.game
    right = "; ".join(game.words(action) for action in probe.right)
    played = "; ".join(f"{times}x {game.words(action)}" for action, times in _played(one).items())
    return (
        f"{'-' * 100}\n{probe.id} ({probe.theme}): {one.score:.0%} right\n\n{game.board()}\n"
        f"why:    {probe.why}\nright:  {right}\nplayed: {played}\n"
    )
