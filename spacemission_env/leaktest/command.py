"""Runs `spacemission leaktest`, which looks for leaks and other faults in anyone's environment."""

from __future__ import annotations

import ast
import functools
import importlib.util
import json
import sys
from collections.abc import Callable
from typing import Annotated, Any

from typer import Argument, Exit, Option, echo

from spacemission_env.core.errors import SetupError, SpaceMissionError, first_line
from spacemission_env.core.heartbeat import progress
from spacemission_env.leaktest.environments import HOOKS, ON, SECONDS, Alone, Run, Twin, check_environment
from spacemission_env.leaktest.report import NOT_TESTED, Report

BAD_INPUT, UNTESTED = 2, 3


def maker(target: str) -> Callable[[], Any]:
    """Return a function that makes `pettingzoo:NAME(option=value)` or `gymnasium:ID(option=value)`.

    A PettingZoo NAME is a classic game, or a module with a function `env`, such as `my_package.my_env_v0`;
    the module may be in the working folder.

    Raises:
        SetupError: the environment cannot be made.
    """
    kind, _, rest = target.partition(":")
    name, _, text = rest.partition("(")
    if kind not in ("pettingzoo", "gymnasium") or not name:
        raise SetupError(f"{target!r}: write openspiel:NAME, pettingzoo:NAME or gymnasium:ID")
    if "" not in sys.path:  # find modules in the working folder, as `python -m` does
        sys.path.insert(0, "")
    try:
        call: Any = ast.parse(f"f({text or ')'}", mode="eval").body
        options = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        if kind == "gymnasium":
            make = functools.partial(importlib.import_module("gymnasium").make, name, **options)
        else:
            make = functools.partial(_pettingzoo(name), **options)
            importlib.import_module("pettingzoo.utils.env_logger").EnvLogger.suppress_output()
        make()
    except Exception as error:
        lacking = _lacking(error)
        what = f"{lacking} is needed: pip install {lacking}" if lacking else first_line(error)
        raise SetupError(f"{target}: {type(error).__name__}: {what}") from None
    return make


def _pettingzoo(name: str) -> Callable[..., Any]:
    pettingzoo = importlib.import_module("pettingzoo")
    classic = None if "." in name else importlib.util.find_spec(f"pettingzoo.classic.{name}")
    if classic is not None and hasattr(pettingzoo, "make"):  # PettingZoo before 1.27 has no `make`
        return functools.partial(pettingzoo.make, "aec", f"classic/{name.replace('_v', '-v')}")
    make: Callable[..., Any] = importlib.import_module(name if classic is None else classic.name).env
    return make


def _lacking(error: BaseException) -> str | None:
    # The missing package that made an import fail; the error's message may name other packages.
    cause = error.__cause__ or error.__context__
    while cause is not None and not (isinstance(cause, ModuleNotFoundError) and cause.name):
        cause = cause.__cause__ or cause.__context__
    return cause.name.partition(".")[0] if isinstance(cause, ModuleNotFoundError) and cause.name else None


def check(target: str, twin: Twin | str | None = None, **options: Any) -> Report:
    """Check a game or environment by name: `openspiel:NAME`, `pettingzoo:NAME` or `gymnasium:ID`.

    `twin` is a hook or its name, MODULE:FUNCTION; by default some of PettingZoo's classic games have one
    (`HOOKS`). The other arguments are those of `check_openspiel` and `check_environment`.

    Raises:
        SetupError: the game or the hook does not exist, or the game cannot be tested.
    """
    kind, _, name = target.partition(":")
    if kind == "openspiel":
        from spacemission_env.leaktest.openspiel import check_openspiel

        return check_openspiel(name, **options)
    make, found = maker(target), HOOKS.get(target.partition("(")[0]) if twin is None else twin
    if isinstance(found, str):
        try:
            found = getattr(importlib.import_module(found.partition(":")[0]), found.partition(":")[2])
        except (ImportError, AttributeError, ValueError) as error:
            raise SetupError(f"--twin {twin}: write MODULE:FUNCTION ({first_line(error)})") from None
    return check_environment(make, found, target=target, **options)


def leaktest(
    target: Annotated[str, Argument(help="openspiel:NAME, pettingzoo:NAME or gymnasium:ID.")],
    games: Annotated[
        int | None, Option("--games", min=1, help="Random games; default: until enough was compared.")
    ] = None,
    seed: Annotated[int, Option("--seed", min=0, max=2**31 - 1, help="Seed of all random choices.")] = 0,
    seconds: Annotated[
        float, Option("--seconds", min=0.1, help="Begin nothing new after this time.")
    ] = SECONDS,
    twin: Annotated[str | None, Option("--twin", help="Hook that makes twins, MODULE:FUNCTION.")] = None,
    require_twins: Annotated[
        bool, Option("--require-twins", help="Leaks that were not tested count as a finding (for CI).")
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Write JSON to standard output.")] = False,
) -> None:
    """Look for leaks: what a seat is given must not depend on what it may not know.

    Exit status: 0 nothing found, 1 something found, 2 bad input, 3 nothing found, but leaks were not tested.
    """
    try:
        with progress("leak test", seconds) as done:
            passed = [0.0]

            def show(report: Report) -> None:
                done(report.passed - passed[0])
                passed[0] = report.passed

            report = check(target, twin, games=games, seed=seed, seconds=seconds, progress=show)
    except (SpaceMissionError, ImportError) as error:
        echo(f"spacemission: {error}", err=True)
        raise Exit(BAD_INPUT) from None
    found = {name: finding.what for name, finding in report.found.items()}
    data = {"type": "leaktest", "target": report.target, "tried": report.tried, "found": found}
    data |= {"counts": report.counts, "notes": report.notes, "leaks": report.leaks}
    print(json.dumps(data) if as_json else report.text())
    untested = report.leaks == NOT_TESTED
    raise Exit(1 if report.found or (untested and require_twins) else UNTESTED if untested else 0)


if __name__ == "__main__":  # plays one game in another process: `python -m … TARGET SEED`
    env = maker(sys.argv[1])()
    print(Run(env if hasattr(env, "agent_iter") else Alone(env), int(sys.argv[2])).play(ON).digest())
