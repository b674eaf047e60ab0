"""Modules are still found under the names that they had."""

from __future__ import annotations

import subprocess
import sys

ALL = """
import importlib, warnings
import spacemission_env
from spacemission_env.core.moved import MOVED
for package, names in MOVED.items():
    for old, new in names.items():
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            module = importlib.import_module(f"{package}.{old}")
        assert module is importlib.import_module(f"{package}.{new}"), old
        wanted = f"{package}.{old} is now {package}.{new}"
        assert wanted in [str(one.message) for one in said], (old, [str(one.message) for one in said])
print("all")
"""


def test_every_old_name_gives_the_module_of_the_new_one_and_says_so() -> None:
    done = subprocess.run([sys.executable, "-c", ALL], capture_output=True, text=True)
    assert done.stdout == "all\n", done.stderr
