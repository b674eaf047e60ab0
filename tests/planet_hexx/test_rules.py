"""The rules of Planet Hexx as their pages have them: each id is defined once and named by a test.

The tests are in test_rules_*.py: situations made by hand, in which the engine and the independent rules of
tests/oracle are played side by side. (tests/oracle/test_planet_hexx.py compares whole games.)
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

from tests.support.paths import DOCS, ROOT

HERE = Path(__file__).parent
PAGES = [DOCS / "planet_hexx_rules.md", DOCS / "planet_hexx_cards.md"]
CODE = ROOT / "spacemission_env" / "games" / "planet_hexx"


def defined() -> Counter[str]:
    """Ids that stand in bold in the pages: rules HX-n, rulings HR-n."""
    return Counter(
        name for page in PAGES for name in re.findall(r"\*\*(H[XR]-\d+)\*\*", page.read_text("utf-8"))
    )


def named_by_tests() -> set[str]:
    """Ids in the names of tests."""
    found = set()
    for file in HERE.glob("test_rules_*.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found |= {f"{kind.upper()}-{int(n)}" for kind, n in re.findall(r"(h[xr])(\d+)", node.name)}
    return found


def test_every_rule_and_ruling_is_defined_once() -> None:
    ids = defined()
    assert {name for name in ids if name.startswith("HX")} == {f"HX-{n}" for n in range(1, 57)}
    rulings = [name for name in ids if name.startswith("HR")]
    assert set(rulings) == {f"HR-{n}" for n in range(1, len(rulings) + 1)}
    assert set(ids.values()) == {1}


def test_every_rule_and_ruling_is_named_by_a_test() -> None:
    assert sorted(named_by_tests()) == sorted(defined())


def test_the_code_names_no_other_rules() -> None:
    named = {
        name for file in CODE.rglob("*.py") for name in re.findall(r"\bH[XR]-\d+", file.read_text("utf-8"))
    }
    assert len(named) > 40 and named <= set(defined())
