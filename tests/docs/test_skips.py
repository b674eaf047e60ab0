"""In CI a skip is a failure, unless a list allows it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

SKIPS = """
import pytest
def test_runs(): pass
@pytest.mark.skip(reason="no engine")
def test_marked(): pass
def test_inside(): pytest.skip("no fuel at all")
@pytest.mark.xfail
def test_expected(): assert False
"""
MODULE = 'import pytest\npytest.skip("no pilot", allow_module_level=True)\n'


def counts(folder: Path, allowed: str | None) -> str:
    """What pytest says at the end, with these lines of allowed skips."""
    environment = {name: value for name, value in os.environ.items() if name != "ALLOWED_SKIPS"}
    if allowed is not None:
        (folder / "allowed").write_text(allowed)
        environment["ALLOWED_SKIPS"] = str(folder / "allowed")
    options = ["-p", "tests.conftest", "-q", "--continue-on-collection-errors", f"--rootdir={folder}"]
    command = [sys.executable, "-m", "pytest", *options, str(folder)]
    ran = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    return ran.stdout.splitlines()[-1].split(" in ")[0]


@pytest.mark.parametrize(
    ("allowed", "said"),
    [
        (None, "1 passed, 3 skipped, 1 xfailed"),
        ("", "1 failed, 1 passed, 1 xfailed, 2 errors"),
        ("no fuel: it is dear\nno engine: too heavy\n", "1 passed, 2 skipped, 1 xfailed, 1 error"),
        ("no fuel: it is dear\nno engine: too heavy\nno pilot: on leave\n", "1 passed, 3 skipped, 1 xfailed"),
    ],
)
def test_a_skip_that_is_not_allowed_fails(tmp_path: Path, allowed: str | None, said: str) -> None:
    (tmp_path / "test_parts.py").write_text(SKIPS)
    (tmp_path / "test_whole.py").write_text(MODULE)
    assert counts(tmp_path, allowed) == said


def test_each_allowed_skip_has_a_reason() -> None:
    for line in (ROOT / ".ci" / "skips").read_text("utf-8").splitlines():
        words, _, why = line.partition(": ")
        assert words and why, line
