"""The examples of docs/leaktest.md run, and its findings are still there."""

import pytest

from tests.support.pages import blocks

BLOCKS = blocks("docs/leaktest.md")


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_each_example_runs_and_each_finding_is_there(number: int) -> None:
    if "pyspiel" in BLOCKS[number]:
        pyspiel = pytest.importorskip("pyspiel")
        if getattr(pyspiel, "__version__", "2.0.2") != "2.0.2":
            pytest.skip("the page is about open_spiel 2.0.2")
    exec(BLOCKS[number], {})
