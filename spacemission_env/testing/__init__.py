"""Checks games: `check_game` finds faults without knowing the rules."""

from spacemission_env.testing.check_game import check_game

__all__ = ["check_game"]
