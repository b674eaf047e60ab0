"""Rewrite a model folder of an older observation layout in the present one; it plays the same moves.

Folders of older layouts are upgraded whenever they are loaded: this only saves doing it each time, and
shows that it can be done.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from spacemission_agents.models.card import CONVERTED, card_game
from spacemission_agents.models.folder import load_model, save_model
from spacemission_env.core.errors import AgentError


def main(arguments: list[str] | None = None) -> None:
    """Load a folder, which upgrades it, and write it there or to another place."""
    parser = argparse.ArgumentParser(prog="python -m spacemission_agents.models.upgrade", description=__doc__)
    parser.add_argument("folder", type=Path, help="a model folder")
    parser.add_argument("--out", type=Path, help="where to write it (default: in its place)")
    given = parser.parse_args(arguments)
    out = given.out or given.folder
    try:
        card, arrays = load_model(given.folder)
        spec = card_game(card, str(given.folder))
        save_model(out, arrays, card, spec)
    except AgentError as error:
        parser.error(str(error))
    was = card["training"].get(CONVERTED, spec.layout_version)
    print(f"written: {out}: layout {spec.layout_version}, trained with layout {was}")


if __name__ == "__main__":
    main()
