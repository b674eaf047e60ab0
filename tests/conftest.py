"""Failed asserts of `tests/support` are told as fully as those of the tests themselves."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.support")
