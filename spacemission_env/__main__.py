"""Runs `python -m spacemission_env`, the same program as `spacemission`."""

from spacemission_env.cli import main

main()
