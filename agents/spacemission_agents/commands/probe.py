"""Defines `spacemission probe`, which scores an agent in positions with known right moves."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from spacemission_env.commands.shared import GameOption, Json, Seed, emit_json, print_table
from spacemission_env.core.game_spec import DEFAULT_GAME
from spacemission_env.core.heartbeat import progress


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

    Each repetition gives the agent other random numbers, which matters if it samples its moves.
    """
    from spacemission_agents.arena.play import agent_spec
    from spacemission_agents.probing import Answers, ask_all, load_probes, of_theme, summary
    from spacemission_env.core.agents import agent_name, make_agent

    probes = of_theme(load_probes(game, file), theme)
    made, name = make_agent(agent_spec(agent), game), agent_name(agent)
    answers: list[Answers] = []
    with progress("probing", len(probes)) as done:
        for one in probes:
            answers += ask_all(made, [one], seed, repeat, name)
            done(1)
    report = {"agent": name, "seed": seed, "repeat": repeat, **summary(answers)}
    if as_json:
        details = [{"id": of.id, "right": of.right, "played": played} for of, played, _ in answers]
        emit_json(report | {"answers": details} if show else report)
        return
    for of, actions, score in answers if show else ():
        words, played = of.game.words, Counter(actions).most_common()
        print(f"{'-' * 100}\n{of.id} ({of.theme}): {score:.0%} right\n\n{of.game.board()}")
        print(f"why:    {of.why}\nright:  {'; '.join(map(words, of.right))}")
        print(f"played: {'; '.join(f'{times}x {words(action)}' for action, times in played)}\n")
    print(f"{name}: {report['score']:.1%} of {len(probes)} probes right, seed {seed}, each asked {repeat}x")
    rows = [[row["theme"], f"{row['score']:.1%}", str(row["probes"])] for row in report["themes"]]
    print_table(("theme", "right", "probes"), rows)
