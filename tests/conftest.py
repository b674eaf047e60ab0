"""Tells failed asserts of `tests/support` in full, and makes skips failures in CI."""

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from docs.generators import own_games
from spacemission_env.core.game_spec import game_names

os.environ["SPACEMISSION_QUIET"] = "1"  # what a command prints does not depend on what is in the cache
pytest.register_assert_rewrite("tests.support")

# Set by `.ci/run`: a file of lines `words of the reason: why`. Any other skip is then a failure.
ALLOWED_SKIPS = "ALLOWED_SKIPS"


def pytest_configure() -> None:
    """Refuse to run beside games of others: many tests go through all games."""
    if others := set(game_names()) - set(own_games()):
        raise pytest.UsageError(f"games of others are installed here too: pip uninstall {' '.join(others)}")


def refuse_skip(report: Any) -> Any:
    """Make a skip that is not allowed a failure."""
    if report.skipped and not hasattr(report, "wasxfail") and ALLOWED_SKIPS in os.environ:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        lines = Path(os.environ[ALLOWED_SKIPS]).read_text("utf-8").splitlines()
        if not any(line.split(": ")[0] in reason for line in lines if line):
            report.outcome, report.longrepr = "failed", f"a skip that .ci/skips does not allow: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    return refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    return refuse_skip((yield))
