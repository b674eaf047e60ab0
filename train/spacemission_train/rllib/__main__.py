"""Runs `spacemission train --engine rllib …` as `python -m spacemission_train.rllib …`."""

from __future__ import annotations

import sys

from spacemission_env.cli import main as spacemission


def main() -> None:
    """Run `spacemission train` on RLlib with the options of the command line."""
    sys.argv[1:1] = ["train", "--engine", "rllib"]
    spacemission()


if __name__ == "__main__":
    main()
