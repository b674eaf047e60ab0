"""`spacemission average`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spacemission_env.cli_common import Json, emit_json


def average(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Model folders: checkpoints of one run.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Model folder to write.")],
    as_json: Json = False,
) -> None:
    """Make one model of several checkpoints of a run: the mean of their weights.

    Such as `spacemission average runs/mine/checkpoints/step_0004* --out mean`. It often plays a little better
    than the last of them, and costs no more to play; measure it in the arena.
    """
    from spacemission_train.average import average

    card = average(folders, out)
    if as_json:
        emit_json({"type": "average", "out": str(out), "mean_of": card["training"]["mean_of"]})
    else:
        print(f"written: {out}, the mean of {len(folders)} models  (play it as policy:{out})")
