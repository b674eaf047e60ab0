"""Makes the decorator for the compiled functions of this folder.

A change of any file in the folder makes numba compile its functions anew.
"""

from __future__ import annotations

from pathlib import Path

from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__).parent)
