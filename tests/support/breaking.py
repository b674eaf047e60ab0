"""Breaks rules in a copy of the code and checks that tests fail.

A game's table of mutations is in `break_rules.py` among its tests. Each mutation replaces one exact text in
one file of a temporary copy, and names the rule that it breaks. The tests that name this rule run first; if
they pass, all tests that should fail run.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.support.paths import ROOT

# Seconds. A broken rule may make a game endless, which counts as noticed. Without compiled code, all rule
# tests take up to a quarter of an hour.
TIMEOUT = 2400
ENDLESS = "::(the tests did not end)"


@dataclass(frozen=True)
class Mutation:
    """One broken rule: in `file` of the game, `old`, which occurs once, becomes `new`.

    Attributes:
        tests: patterns of the files that should fail, in the game's folder of tests.
        jit: whether these tests need compiled code, because they draw many worlds.
    """

    rule: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    jit: bool = False


@dataclass(frozen=True)
class Outcome:
    mutation: Mutation
    by_own_test: bool
    failed: tuple[str, ...]

    def line(self) -> str:
        if self.by_own_test:
            verdict = f"caught by its own test {self.failed[0].partition('::')[2]}"
        elif self.failed:
            verdict = f"caught by {self.failed[0]}, NOT by a test of {self.mutation.rule}"
        else:
            verdict = "NOT CAUGHT"
        change = f"{self.mutation.old!r} -> {self.mutation.new!r}"
        return f"{self.mutation.rule} {self.mutation.file:22} {verdict}: {change[:110]}"


CONFTEST = """
import pathlib
import spacemission_env
here = pathlib.Path(__file__).resolve().parent
assert pathlib.Path(spacemission_env.__file__).resolve().is_relative_to(here), spacemission_env.__file__
"""


def copy_of_the_code(folder: Path) -> None:
    """Copy package, tests and pages, with a conftest that refuses any other copy of the package."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "spacemission_env", folder / "spacemission_env", ignore=ignore)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignore)
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=ignore)  # a test compares rule ids with the pages
    for info in ROOT.glob("*.egg-info"):  # contains the entry points of games
        shutil.copytree(info, folder / info.name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "conftest.py").write_text(CONFTEST)


def environment_for(folder: Path, jit: bool = False) -> dict[str, str]:
    """Put the copy first on the path; usually without compilation, which takes longer than it saves."""
    return os.environ | {
        "PYTHONPATH": str(folder),
        "SPACEMISSION_CACHE_DIR": str(folder / "cache"),
        "NUMBA_DISABLE_JIT": "0" if jit else "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def first_failure(folder: Path, jit: bool, *arguments: str) -> tuple[str, ...]:
    """The first failing test of pytest with these arguments in a copy, as a tuple; empty if all pass."""
    options = ["-q", "-x", "--tb=no", "-rfE", "-p", "no:cacheprovider", "-p", "no:xdist"]
    try:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *arguments],
            cwd=folder,
            env=environment_for(folder, jit),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return (ENDLESS,)
    failed = tuple(re.findall(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE))
    # 0 all passed, 1 some failed, 5 none selected; other codes are errors of pytest.
    if run.returncode not in (0, 1, 5) and not failed:
        raise RuntimeError(f"pytest ended with {run.returncode}:\n{run.stdout}\n{run.stderr}")
    return failed


@dataclass(frozen=True)
class Table:
    """The mutations of a game.

    Attributes:
        game, tests: folders of the game and of its tests, relative to the repository.
        words: (rule id) to a part of the names of its tests.
    """

    game: str
    tests: str
    words: Callable[[str], str]
    mutations: tuple[Mutation, ...]

    def check(self, mutation: Mutation, folder: Path = ROOT) -> None:
        count = (folder / self.game / mutation.file).read_text("utf-8").count(mutation.old)
        if count != 1 or mutation.old == mutation.new:
            where = f"{mutation.rule} {mutation.file}: {mutation.old!r}"
            raise SystemExit(f"{where} occurs {count} times: correct the table")

    def run_tests(self, folder: Path, mutation: Mutation, *selection: str) -> tuple[str, ...]:
        """The first failing test in a copy, as a tuple; empty if all pass."""
        found = [f for pattern in mutation.tests for f in sorted((folder / self.tests).glob(pattern))]
        return first_failure(folder, mutation.jit, *selection, *(str(f.relative_to(folder)) for f in found))

    def attempt(self, mutation: Mutation) -> Outcome:
        """Break one rule in a fresh copy and run the tests on it."""
        with tempfile.TemporaryDirectory(prefix="break_rules_") as name:
            folder = Path(name).resolve()
            copy_of_the_code(folder)
            self.check(mutation, folder)
            file = folder / self.game / mutation.file
            file.write_text(file.read_text("utf-8").replace(mutation.old, mutation.new), "utf-8")
            own = self.run_tests(folder, mutation, "-k", self.words(mutation.rule))
            return Outcome(mutation, bool(own), own or self.run_tests(folder, mutation))

    def chosen(self, arguments: argparse.Namespace) -> list[Mutation]:
        if arguments.rules:
            rules = arguments.rules.split(",")
            return [mutation for mutation in self.mutations if mutation.rule in rules]
        if arguments.all:
            return list(self.mutations)
        count = min(arguments.count, len(self.mutations))
        return random.Random(arguments.seed).sample(self.mutations, count)

    def fail_anyway(self, outcomes: list[Outcome]) -> tuple[str, ...]:
        """Tests that caught a mutation but also fail without one: the first with, and without, the JIT."""
        failing: tuple[str, ...] = ()
        with tempfile.TemporaryDirectory(prefix="break_rules_") as name:
            folder = Path(name).resolve()
            copy_of_the_code(folder)
            for jit in (False, True):
                caught = {test for one in outcomes if one.mutation.jit == jit for test in one.failed}
                # Without the parameters, because their names may have blanks.
                if names := sorted({test.partition("[")[0] for test in caught - {ENDLESS}}):
                    failing += first_failure(folder, jit, *names)
        return failing

    def main(self) -> int:
        """Run the command line; exit status 1 if a broken rule is not noticed."""
        parser = argparse.ArgumentParser(description="Break rules on purpose and see that the tests notice.")
        parser.add_argument("--count", type=int, default=10, help="mutations to try (default 10)")
        parser.add_argument("--seed", type=int, default=None, help="draws them (default: at random)")
        parser.add_argument("--rules", help="only mutations of these rules, by comma")
        parser.add_argument("--all", action="store_true", help="try every mutation")
        parser.add_argument("--jobs", type=int, default=2, help="copies tested at a time (default 2)")
        parser.add_argument("--list", action="store_true", help="print the table and stop")
        arguments = parser.parse_args()
        for mutation in self.mutations:
            self.check(mutation)
        if arguments.list:
            for mutation in self.mutations:
                print(f"{mutation.rule} {mutation.file:22} {mutation.old!r} -> {mutation.new!r}")
            return 0
        chosen = self.chosen(arguments)
        verdicts: Counter[str] = Counter()
        outcomes = []
        with ThreadPoolExecutor(arguments.jobs) as pool:
            for outcome in pool.map(self.attempt, chosen):
                print(outcome.line(), flush=True)
                outcomes.append(outcome)
                verdicts["own" if outcome.by_own_test else "other" if outcome.failed else "missed"] += 1
        print(
            f"{len(chosen)} of {len(self.mutations)} mutations: "
            f"{verdicts['own']} caught by a test that names the rule, "
            f"{verdicts['other']} by another test only, {verdicts['missed']} not caught"
        )
        print("now the tests that caught them, without a mutation:", flush=True)
        if failed := self.fail_anyway(outcomes):
            print(f"they fail without a mutation: {', '.join(failed)}")
            return 1
        print("they pass")
        return 1 if verdicts["missed"] else 0
