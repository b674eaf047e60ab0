"""Paths of the repository, in one place so that tests may move."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TESTS = ROOT / "tests"
GOLDEN = TESTS / "golden"
