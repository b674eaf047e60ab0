"""`python -m studies.ablation`: what each learning aid is worth, one run for each.

All runs have the same budget, seed and opponents. Each differs in one change from the run named beside it.
Finished runs are kept, so the same command resumes a stopped study.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from spacemission_agents.models.folder import read_card
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.game_training import find_game_training
from spacemission_train.run import trainer
from spacemission_train.run.folder import MODEL_FOLDER, is_finished
from spacemission_train.settings.presets import combine

# (name of a run, the run it is compared with, its changes to the settings of that run)
VARIANTS: tuple[tuple[str, str | None, dict[str, Any]], ...] = (
    ("flat", None, {"input": "observation", "planets": 0}),
    ("by planet", "flat", {"input": "ring"}),
    ("shared planet layer", "by planet", {"planets": 32}),
    ("augmented", "shared planet layer", {"augment": True}),
    ("privileged critic", "shared planet layer", {"critic": "full"}),
    ("KL to the past", "shared planet layer", {"kl": 0.05}),
    ("constant entropy bonus x 0.3", "shared planet layer", {"entropy": 0.003, "last_entropy": 0.003}),
    ("rated", "shared planet layer", {"input": "rated"}),
)

YARDSTICKS = find_game_training().yardsticks


def changes_of(name: str) -> dict[str, Any]:
    """All changes of a variant, including the changes of the runs it builds on."""
    of = {variant: (base, changes) for variant, base, changes in VARIANTS}
    base, changes = of[name]
    return {**(changes_of(base) if base else {}), **changes}


def run_variant(name: str, folder: Path, given: dict[str, Any]) -> dict[str, Any]:
    """Train a variant, unless its folder holds the finished run; its row of the table."""
    out = folder / name.replace(" ", "_")
    settings = combine("quick", [given, changes_of(name)])
    if not is_finished(out):
        if (out / trainer.STATE_FILE).is_file():
            trainer.resume(out)
        else:
            trainer.start(settings, out, "python -m studies.ablation")
    card = read_card(out / MODEL_FOLDER)
    training, results = card["training"], card["results"]
    row = {"variant": name, "steps": training["steps"], "seconds": training["seconds"]}
    for yardstick in YARDSTICKS:
        row[yardstick] = results[f"win_share_against_{yardstick}_2p"]
    return row


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a table in Markdown."""
    of = {variant: base for variant, base, _ in VARIANTS}
    lines = [
        "| run | differs from | " + " | ".join(YARDSTICKS) + " | seconds |",
        "| --- | --- |" + " --- |" * 4,
    ]
    for row in rows:
        shares = (row[name] for name in YARDSTICKS)
        cells = [f"{s['share']:.1%} ({s['low']:.1%} to {s['high']:.1%})" for s in shares]
        base = of[row["variant"]] or "-"
        lines.append(f"| {row['variant']} | {base} | {' | '.join(cells)} | {row['seconds']:.0f} |")
    return "\n".join(lines)


def main(
    out: Annotated[Path, typer.Option("--out", help="Folder of the runs.")] = Path("runs/ablation"),
    steps: Annotated[int, typer.Option("--steps", min=1, help="Learner steps of each run.")] = 500_000,
    games: Annotated[int, typer.Option("--games", min=2, help="Games of each final evaluation.")] = 4000,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 1,
) -> None:
    """Train every variant on two players and print the table; OUT/ablation.json has the same."""
    given = {"steps": steps, "final_games": games, "seed": seed, "checkpoint_steps": max(1, steps // 4)}
    rows = []
    try:
        for name, _, _ in VARIANTS:
            print(f"{name} …", file=sys.stderr, flush=True)
            rows.append(run_variant(name, out, given))
            (out / "ablation.json").write_text(json.dumps(rows, indent=1), "utf-8")
    except SpaceMissionError as error:
        print(f"spacemission: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    print(table(rows))


if __name__ == "__main__":
    typer.run(main)
