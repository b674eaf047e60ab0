"""The cache's digest covers every source of compiled code, so that each edit takes effect."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

import spacemission_agents
import spacemission_env
import spacemission_train
from spacemission_agents.afterstates.moves import find_afterstates
from spacemission_env.core import batch_template
from spacemission_env.core.compiling import decorator
from spacemission_env.core.compiling.decorator import SHARED, Njit, make_njit
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.games import kuhn_poker
from spacemission_env.games.space_mission import spec
from spacemission_train import self_play

KUHN = Path(kuhn_poker.__file__)
HOUSE = (spacemission_env, spacemission_agents, spacemission_train)


def modules() -> Iterator[ModuleType]:
    """All modules of the project that define compiled functions."""
    for package in HOUSE:
        root = Path(package.__path__[0])
        for file in sorted(root.rglob("*.py")):
            if "@njit" in file.read_text():
                name = ".".join((package.__name__, *file.relative_to(root).with_suffix("").parts))
                yield importlib.import_module(name)


def compiled(module: ModuleType) -> list[FunctionType]:
    """The compiled functions that a module defines itself."""
    own = [value for value in vars(module).values() if hasattr(value, "py_func")]
    return [one.py_func for one in own if one.py_func.__module__ == module.__name__]


def names_in(code: CodeType) -> set[str]:
    """All names that a function looks up, including those in nested functions."""
    inner = [names_in(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inner)


def imported(module: ModuleType) -> dict[str, str]:
    """The project's module from which each imported name comes."""
    tree = ast.parse(Path(str(module.__file__)).read_text())
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("spacemission_"):
            for alias in node.names:
                value = getattr(module, alias.asname or alias.name, None)
                source = value.__name__ if isinstance(value, ModuleType) else str(node.module)
                found[alias.asname or alias.name] = source
    return found


def is_followed(file: Path, njit: Njit) -> bool:
    return any(file in (source, *source.glob("*.py")) for source in (*SHARED, *njit.sources))


def test_every_file_that_a_compiled_function_takes_a_name_from_is_followed() -> None:
    looked_at = 0
    for module in modules():
        assert is_followed(Path(str(module.__file__)), module.njit), module.__name__
        sources = imported(module)
        for function in compiled(module):
            for name in names_in(function.__code__) & set(sources):
                source = importlib.import_module(sources[name])
                assert is_followed(Path(str(source.__file__)), module.njit), (function, sources[name])
                inner = getattr(source, "njit", None)
                if isinstance(inner, Njit):  # and the sources of that module
                    missing = [file for file in inner.sources if not is_followed(file, module.njit)]
                    assert not missing, (function, sources[name], missing)
                looked_at += 1
    assert looked_at > 300


@pytest.mark.parametrize("game", game_names())
def test_templates_bound_to_a_game_follow_what_they_call(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    of, made = find_afterstates(find_game(game)), []
    monkeypatch.setattr(self_play, "make_njit", lambda *sources: made.append(make_njit(*sources)) or made[-1])
    play = self_play.bind_games.__wrapped__(of)["play_on"]
    bound = [(of.njit, function) for function in of.names.values() if hasattr(function, "py_func")]
    looked_at = 0
    for njit, function in [*bound, (made[0], play)]:
        code = function.py_func
        assert is_followed(Path(code.__code__.co_filename), njit), code
        for name in names_in(code.__code__):
            called = getattr(code.__globals__.get(name), "py_func", None)
            if called is not None:
                assert is_followed(Path(called.__code__.co_filename), njit), (code, name)
                looked_at += 1
    assert looked_at > 20


def test_a_decorator_follows_what_another_one_does(tmp_path: Path) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    for file in (first, second):
        file.write_text("")
    inner = make_njit(first)
    assert make_njit(inner, second, first).sources == (first, second)


def test_the_rules_of_a_game_are_followed_as_a_file_or_a_folder() -> None:
    assert Path(batch_template.__file__) in SHARED, "the template"
    for game, source in (("space_mission", Path(spec.__file__).parent / "engine"), ("kuhn_poker", KUHN)):
        view = find_game(game).batch.view_batch
        assert view.py_func.__module__ == module_of(game), "two games' functions need different names"
        assert importlib.import_module(module_of(game)).njit.sources == (source,)


def module_of(game: str) -> str:
    """The module in which a game binds its batch functions."""
    return f"spacemission_env.games.{game}" + ("" if game == "kuhn_poker" else ".engine.batch")


@pytest.mark.parametrize("name", ["__version__", *(f"config.{one}" for one in decorator.SWITCHES)])
def test_other_tools_and_switches_have_another_cache(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, other = tmp_path / "a.py", tmp_path / "b.py"
    named.write_text("x = 1\n")
    before = decorator.sources_digest(named)
    other.write_text("x = 2\n")
    assert before == decorator.sources_digest(named)
    named.write_text("x = 2\n")
    assert before != (edited := decorator.sources_digest(named))
    monkeypatch.setattr(f"numba.{name}", "another", raising=False)
    assert edited != decorator.sources_digest(named)
