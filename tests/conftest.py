"""Failed asserts of `tests/support` are told as fully as those of the tests themselves."""

from __future__ import annotations

import os

import pytest

os.environ["SPACEMISSION_QUIET"] = "1"  # what a command prints does not depend on what is in the cache
pytest.register_assert_rewrite("tests.support")
