"""Space Mission for reinforcement learning: PettingZoo, Gymnasium and vector environments over fast rules."""

from spacemission_env.version import __version__

__all__ = ["__version__"]
