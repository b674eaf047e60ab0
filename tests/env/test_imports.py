"""No module imports itself through others, not even in functions or for types only."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.support.paths import ROOT

PACKAGES = ("spacemission_env", "agents/spacemission_agents", "train/spacemission_train")


def module_of(file: Path, folder: Path) -> str:
    parts = file.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(file: Path, modules: set[str]) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = {f"{node.module}.{name.name}" for name in node.names}
            found |= inside & modules or {str(node.module)}
    return found & modules


def test_no_import_runs_in_a_circle() -> None:
    files = {}
    for package in PACKAGES:
        folder = (ROOT / package).parent
        files |= {module_of(file, folder): file for file in (ROOT / package).rglob("*.py")}
    graph = {name: imported(file, set(files)) - {name} for name, file in files.items()}
    assert sum(map(len, graph.values())) > 1000
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(error.args[1])) from None
