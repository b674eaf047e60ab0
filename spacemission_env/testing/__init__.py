"""Checks games and agents: `check_game` and `check_agent` find faults without knowing the rules."""

from spacemission_env.testing.check_agent import check_agent
from spacemission_env.testing.check_game import check_game

__all__ = ["check_agent", "check_game"]
