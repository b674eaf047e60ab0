"""`spacemission probe`: how many of the hand-made positions an agent gets right, by theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacemission_env.commands.shared import Json, Seed, emit_json, print_table, progress

if TYPE_CHECKING:  # the compiled rules are loaded only when an agent is asked
    from spacemission_agents.games.space_mission.probes.asking import Answers


def probe(
    agent: Annotated[str, typer.Argument(help="random, greedy, policy:PATH, module:Class, …")],
    theme: Annotated[str | None, typer.Option("--theme", help="Only the probes of this theme.")] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, max=10_000, help="How often each probe is asked.")
    ] = 8,
    show: Annotated[
        bool, typer.Option("--show", help="Print each probe with what the agent played.")
    ] = False,
    file: Annotated[
        list[str] | None, typer.Option("--file", help="A probe file to use instead of the package's own.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Ask an agent hand-made positions where a strong player knows the move; the score is the share right.

    Each repetition has its own decision key, so an agent that draws its moves is asked fairly.
    """
    from spacemission_agents.games.space_mission.probes.asking import ask_all, load_probes, of_theme, summary
    from spacemission_env.core.agents_api import make_agent

    probes = of_theme(load_probes(file), theme)
    made = make_agent(agent)
    answers: list[Answers] = []
    with progress("probing", len(probes)) as done:
        for one in probes:
            answers += ask_all(made, [one], seed, repeat, agent)
            done(1)
    report: dict[str, Any] = {"agent": agent, "seed": seed, "repeat": repeat, **summary(answers)}
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
    """How often each action was played, most often first."""
    counts = {action: one.actions.count(action) for action in sorted(set(one.actions))}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _answers_json(one: Answers) -> dict[str, Any]:
    move = one.probe.game.move
    return {
        "id": one.probe.id,
        "theme": one.probe.theme,
        "score": one.score,
        "right": [move(action) for action in one.probe.right],
        "played": [{"move": move(action), "times": times} for action, times in _played(one).items()],
    }


def _shown(one: Answers) -> str:
    from spacemission_env.games.space_mission.text import board, move_words

    probe = one.probe
    right = "; ".join(move_words(probe.game, action) for action in probe.right)
    played = "; ".join(f"{times}x {move_words(probe.game, a)}" for a, times in _played(one).items())
    return (
        f"{'-' * 100}\n{probe.id} ({probe.theme}): {one.score:.0%} right\n\n{board(probe.game)}\n"
        f"why:    {probe.why}\nright:  {right}\nplayed: {played}\n"
    )
