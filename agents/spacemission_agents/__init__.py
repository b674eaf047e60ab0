"""Provides agents for the games of `spacemission_env`, the arena that ranks them, and model folders."""
