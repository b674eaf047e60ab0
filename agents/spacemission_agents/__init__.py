"""Agents for the games of `spacemission_env`, the arena that ranks them, and model folders."""

from spacemission_env.core.moved import accept_old_names

accept_old_names()
