"""A server that is killed loses no move that it had answered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.web.kill_web import kill_at_moments

pytestmark = pytest.mark.slow


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX knows it")
def test_no_answered_move_is_lost(tmp_path: Path) -> None:
    moves, _ = kill_at_moments(tmp_path, 2, 5)
    assert moves > 10
