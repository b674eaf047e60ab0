"""For those who add a game: `check_game` finds what can be found without knowing its rules."""

from spacemission_env.testing.check_game import check_game

__all__ = ["check_game"]
