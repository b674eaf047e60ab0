"""Several processes that compile: what one makes the others take; and what the person is told."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import pytest

from spacemission_env.commands import speed
from spacemission_env.core import private_folder
from spacemission_env.core.compiling import background, notice

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled"),  # type: ignore[attr-defined]
]

TOY = """
from pathlib import Path
from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__))


@njit
def inner(x):
    return x + 1


@njit
def outer(x):
    return inner(x) * 10


def both():
    assert outer(3) == 40
    assert inner(3) == 4
    return [sum(one.stats.cache_misses.values()) for one in (outer, inner)]
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of its own name, with an empty cache."""
    monkeypatch.setenv(private_folder.CHOSEN, str(tmp_path / "cache"))
    name = f"toy_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(TOY)
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module(name)


def kept(tmp_path: Path) -> list[str]:
    return sorted(file.name for file in (tmp_path / "cache").rglob("*") if file.is_file())


def test_two_processes_compile_each_function_once(toy: Any, tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {toy.__name__} as t; print(t.both())"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    misses = [eval(one.communicate(timeout=600)[0]) for one in both]
    assert [sum(of) for of in zip(*misses, strict=True)] == [1, 1]
    assert len(kept(tmp_path)) == 2, "no lock is left"


def test_a_lock_that_nobody_gives_back_is_waited_for_no_longer_than_that(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spacemission_env.core.compiling import cache

    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(cache, "PATIENCE", 0.3)
    path = toy.outer._cache.lock_of((numba.int64,), toy.outer.targetctx)
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        began = time.monotonic()
        assert toy.outer(3) == 40
        assert time.monotonic() - began >= 0.3


def test_a_helper_compiles_what_is_not_in_the_cache(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_can", lambda: True)
    background.compile_in_background(f"{toy.__name__}:both", toy.outer)
    until = time.monotonic() + 600
    while len([name for name in kept(tmp_path) if name.startswith("toy")]) < 2:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert toy.both() == [0, 0]


def test_no_helper_is_started_for_what_is_there(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a helper")

    toy.outer(3)
    monkeypatch.setattr(background, "_can", lambda: True)
    monkeypatch.setattr(background.subprocess, "Popen", refuse)
    background.compile_in_background(f"{toy.__name__}:both", toy.outer)
    with pytest.raises(AssertionError, match="a helper"):
        background.compile_in_background(f"{toy.__name__}:both", toy.inner)


SAY = "import {toy} as t; t.both()"
WORKER = """
import multiprocessing, {toy} as t
if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=t.both)
    worker.start(), worker.join()
"""


@pytest.mark.parametrize(
    ("program", "quiet", "lines"),
    [(SAY, "", [notice.LINE]), (SAY, "1", []), (WORKER, "", [])],
    ids=["once", "switched off", "not by a worker"],
)
def test_a_process_says_once_that_it_compiles(
    program: str, quiet: str, lines: list[str], toy: Any, tmp_path: Path
) -> None:
    file = tmp_path / "program.py"
    file.write_text(program.format(toy=toy.__name__))
    environment = {**os.environ, notice.QUIET: quiet}
    for expected in (lines, []):  # then all of it is in the cache
        done = subprocess.run(
            [sys.executable, file], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stderr.splitlines() == expected


def test_a_cold_start_is_measured_against_a_warm_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first start has an empty cache; the quicker of the two after it counts as warm."""
    starts = iter([(9.0, 7.0), (3.0, 1.0), (2.0, 1.5)])
    caches: list[Path] = []

    def seconds(program: str, cache: str) -> tuple[float, float]:
        caches.append(Path(cache))
        assert (caches[-1] / "compiled").exists() == (len(caches) > 1), "only the first start is cold"
        (caches[-1] / "compiled").touch()
        return next(starts)

    monkeypatch.setattr(speed, "_seconds", seconds)
    assert speed.cold_seconds("") == (7.0, 5.5)
    assert not caches[0].exists()
