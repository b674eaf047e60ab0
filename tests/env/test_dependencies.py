"""The dependencies in pyproject.toml are used, and `constraints.txt` pins all that they install."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def installed_with(requirement: Requirement, seen: set[str]) -> Iterator[str]:
    """Names of a distribution and of all that it needs here, as far as it is installed."""
    names = {f"{requirement.name}[{extra}]" for extra in ("", *requirement.extras)}
    if names <= seen:
        return
    seen |= names
    try:
        needed = requires(requirement.name) or []
    except PackageNotFoundError:
        return
    yield canonicalize_name(requirement.name)
    for other in map(Requirement, needed):
        if not other.marker or any(other.marker.evaluate({"extra": e}) for e in ("", *requirement.extras)):
            yield from installed_with(other, seen)


def test_the_core_uses_each_of_its_dependencies() -> None:
    files = [*(ROOT / "spacemission_env").rglob("*.py"), *(ROOT / "agents").rglob("*.py")]
    sources = "\n".join(file.read_text("utf-8") for file in files if file.parent.name != "leaktest")
    for dependency in map(Requirement, PROJECT["dependencies"]):
        assert re.search(rf"^ *(from|import) {dependency.name}\b", sources, re.MULTILINE), dependency.name


def test_constraints_name_all_that_is_installed() -> None:
    pinned = {
        canonicalize_name(line.split("==")[0])
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if "==" in line
    }
    seen: set[str] = set()
    for dependency in [*PROJECT["dependencies"], *(one for extra in EXTRAS.values() for one in extra)]:
        missing = set(installed_with(Requirement(dependency), seen)) - pinned - {"setuptools"}
        assert not missing, f"{dependency} installs {sorted(missing)}"
