"""Compiles functions with numba and keeps the machine code on disk (README.md)."""

from spacemission_env.core.compiling.cache import announce_compiling
from spacemission_env.core.compiling.decorator import Njit, make_njit

__all__ = ["Njit", "announce_compiling", "make_njit"]
