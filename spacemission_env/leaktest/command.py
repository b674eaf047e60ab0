"""Runs `spacemission leaktest`: looks for leaks and other faults of anyone's environment."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from spacemission_env.core.errors import SetupError, SpaceMissionError, did_you_mean, first_line
from spacemission_env.leaktest.environments import AecTable, GymTable, Run, Twin, check_environment, digest
from spacemission_env.leaktest.hooks import HOOKS
from spacemission_env.leaktest.report import Report

KINDS = ("openspiel", "pettingzoo", "gymnasium")
PLAYER_WORDS = ("players", "num_players", "n_players", "num_agents")
BAD_INPUT = 2


def parse(target: str) -> tuple[str, str, dict[str, Any]]:
    """Split `KIND:NAME(option=value, …)`.

    Raises:
        SetupError: it has another form, or an unknown kind.
    """
    kind, _, rest = target.partition(":")
    if kind not in KINDS or not rest:
        raise SetupError(f"{target!r}: write KIND:NAME with one of the kinds {', '.join(KINDS)}")
    if kind == "openspiel":
        return kind, rest, {}
    found = re.fullmatch(r"([\w./-]+(?::[\w./-]+)?)(?:\((.*)\))?", rest)
    try:
        if not found:
            raise ValueError("wrong name")
        call = ast.parse(f"f({found[2] or ''})", mode="eval").body
        assert isinstance(call, ast.Call) and not call.args
        options = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (ValueError, SyntaxError, AssertionError):
        raise SetupError(f"{target!r}: write {kind}:NAME or {kind}:NAME(option=value, …)") from None
    return kind, found[1], options


def pettingzoo_module(name: str) -> Any:
    """The module of a classic game such as `hanabi_v5`, or any module that has `env`, such as `my_package.my_env_v0`.

    Raises:
        SetupError: there is no such module, or it cannot be imported.
    """
    for path in (name,) if "." in name else (f"pettingzoo.classic.{name}", name):
        try:
            module = importlib.import_module(path)
        except ModuleNotFoundError as error:
            if error.name and not path.startswith(error.name):
                raise SetupError(f"pettingzoo:{name}: needs the package {error.name!r}") from None
            continue
        if not hasattr(module, "env"):
            raise SetupError(f"pettingzoo:{name}: the module {path} has no function env")
        return module
    raise SetupError(f"pettingzoo:{name}: no such module{did_you_mean(name, HOOKS)}")


def maker(target: str, players: int | None) -> tuple[Callable[[], Any], str]:
    """A function that makes the environment, and the target with all options.

    Raises:
        SetupError: it cannot be made.
    """
    kind, name, options = parse(target)
    if kind == "pettingzoo":
        module = pettingzoo_module(name)
        make = module.env
        if players is not None:
            known = inspect.signature(getattr(module, "raw_env", make)).parameters
            word = next((word for word in PLAYER_WORDS if word in known), None)
            if word is None:
                raise SetupError(f"{target}: it has no option for the number of players")
            options[word] = players
    else:
        import gymnasium

        if players is not None:
            raise SetupError(f"{target}: a Gymnasium environment has one player")

        def make(**options: Any) -> Any:
            return gymnasium.make(name, **options)

    try:
        make(**options)
    except Exception as error:
        raise SetupError(f"{target}: {type(error).__name__}: {first_line(error)}") from None
    words = ", ".join(f"{word}={value!r}" for word, value in options.items())
    return lambda: make(**options), f"{kind}:{name}" + (f"({words})" if words else "")


def hook(path: str) -> Twin:
    """Load a hook by `module:function`.

    Raises:
        SetupError: there is no such function.
    """
    module, _, name = path.partition(":")
    try:
        found: Twin = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SetupError(f"--twin {path}: write MODULE:FUNCTION ({first_line(error)})") from None
    return found


def check(
    target: str, twin: Twin | None = None, *, games: int = 20, players: int | None = None, seed: int = 0,
    seconds: float = 60.0,
) -> Report:  # fmt: skip
    """Check a game or environment by name: `openspiel:NAME`, `pettingzoo:NAME` or `gymnasium:ID`.

    `twin` and the other arguments are those of `check_openspiel` and `check_environment`; PettingZoo's classic
    games have their own hooks.

    Raises:
        SetupError: there is no such game, or it cannot be tested.
    """
    kind, name, _ = parse(target)
    if kind == "openspiel":
        from spacemission_env.leaktest.openspiel import check_openspiel

        return check_openspiel(name, games=games, players=players, seed=seed, seconds=seconds)
    make, full = maker(target, players)
    twin = twin or (HOOKS.get(name) if kind == "pettingzoo" else None)
    return check_environment(make, twin, games=games, seed=seed, seconds=seconds, target=full)


def leaktest(
    target: Annotated[str, typer.Argument(help="openspiel:NAME, pettingzoo:NAME or gymnasium:ID.")],
    games: Annotated[int, typer.Option("--games", min=1, help="Random games to play.")] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**31 - 1, help="Seed of all random choices.")] = 0,
    players: Annotated[int | None, typer.Option("--players", min=1, help="Number of players.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="Begin nothing new after this time.")] = 60.0,
    twin: Annotated[
        str | None, typer.Option("--twin", help="Hook that makes twins, as MODULE:FUNCTION.")
    ] = None,
) -> None:
    """Look for leaks: what a seat is given must not depend on what it may not know.

    Exit status: 0 nothing found, 1 something found, 2 bad input.
    """
    from spacemission_env.cli import complain

    try:
        chosen = None if twin is None else hook(twin)
        report = check(target, chosen, games=games, players=players, seed=seed, seconds=seconds)
    except (SpaceMissionError, ImportError) as error:
        complain(str(error))
        raise typer.Exit(BAD_INPUT) from None
    print(report.text())
    if not report.clean:
        raise typer.Exit(1)


if __name__ == "__main__":  # plays one game in another process: `python -m … TARGET SEED`
    make, _ = maker(sys.argv[1], None)
    env = make()
    print(digest(Run((AecTable if hasattr(env, "agent_iter") else GymTable)(env), int(sys.argv[2])).play()))
