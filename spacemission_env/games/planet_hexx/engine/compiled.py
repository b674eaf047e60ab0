"""Defines the decorator for compiled rules; its cache depends on all sources of this folder."""

from pathlib import Path

from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__).parent)
