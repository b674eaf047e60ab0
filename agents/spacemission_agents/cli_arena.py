"""`spacemission arena`."""

from spacemission_agents.cli import arena

__all__ = ["arena"]
