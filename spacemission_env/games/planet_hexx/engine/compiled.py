"""Defines the decorator for compiled rules; a change of any file in this folder renews the cache."""

from pathlib import Path

from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__).parent)
