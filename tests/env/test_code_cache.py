"""The code cache loads only intact files of this user, and processes share it."""

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import numba
import pytest

from spacemission_env.core import private_folder
from spacemission_env.core.compiling import cache, decorator
from spacemission_env.core.heartbeat import QUIET

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled"),  # type: ignore[attr-defined]
]

SOURCE = """
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
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], ModuleType]:
    """Import a toy module again, with its own cache, which is empty at first."""
    name = f"toy_{tmp_path.name}"
    monkeypatch.setenv(private_folder.CHOSEN, str(tmp_path / "cache"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / f"{name}.py").write_text(SOURCE)

    def imported() -> ModuleType:
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    return imported


@pytest.fixture
def toy(fresh: Callable[[], ModuleType]) -> ModuleType:
    return fresh()


@pytest.fixture
def start(fresh: Callable[[], ModuleType]) -> Callable[[], int]:
    """Run both functions in a fresh import of the toy; return how many were compiled."""
    return lambda: sum(fresh().both())


def files_of(tmp_path: Path) -> list[Path]:
    return sorted(file for file in (tmp_path / "cache").rglob("*") if not file.is_dir())


def test_a_second_start_compiles_nothing(start: Callable[[], int], tmp_path: Path) -> None:
    assert start() == 2
    assert len(files_of(tmp_path)) == 2
    assert start() == 0


def test_an_edit_in_another_file_reaches_compiled_code(tmp_path: Path) -> None:
    """Numba's own cache would keep the old `inner`, because it only checks the file of `outer`."""
    head = f"from pathlib import Path\nfrom {decorator.__name__} import make_njit\n"
    head += "njit = make_njit(Path(__file__).parent)\n"
    (package := tmp_path / "package").mkdir()
    (package / "outer.py").write_text(
        head + "from inner import inner\n@njit\ndef outer(x):\n    return inner(x) + 10\nprint(outer(1))\n"
    )
    environment = {**os.environ, private_folder.CHOSEN: str(tmp_path / "cache")}
    folders = []
    for added in (100, 100, 200):
        (package / "inner.py").write_text(head + f"@njit\ndef inner(x):\n    return x + {added}\n")
        command = [sys.executable, str(package / "outer.py")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(11 + added)
        folders.append(len(list((tmp_path / "cache").iterdir())))
    assert folders[0] == folders[1] < folders[2]


def test_what_is_kept_is_this_users_alone_whatever_the_umask(
    start: Callable[[], int], tmp_path: Path
) -> None:
    before = os.umask(0)
    try:
        start()
    finally:
        os.umask(before)
    modes = {p.stat().st_mode & 0o777 for p in (tmp_path / "cache", *(tmp_path / "cache").iterdir())}
    assert modes == {0o700}
    assert {p.stat().st_mode & 0o777 for p in files_of(tmp_path)} == {0o600}


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "only the checksum": lambda whole: whole[: cache.CHECKSUM],
    "half": lambda whole: whole[: len(whole) // 2],
    "zeros": lambda whole: bytes(len(whole)),
    "one bit": lambda whole: whole[:-99] + bytes([whole[-99] ^ 1]) + whole[-98:],
    "more": lambda whole: whole + b"\0",
    "numba's own form": lambda whole: whole[cache.CHECKSUM :],
}


def as_link(file: Path) -> None:
    elsewhere = file.parent.parent.parent / file.name
    file.rename(elsewhere)
    file.symlink_to(elsewhere)


def as_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def as_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


UNTRUSTED: dict[str, Callable[[Path], object]] = {
    **{
        name: lambda file, damage=damage: file.write_bytes(damage(file.read_bytes()))
        for name, damage in DAMAGES.items()
    },
    "another function's": lambda file: shutil.copy(*sorted(file.parent.iterdir(), key=file.__eq__)),
    **{f"mode {mode:o}": lambda file, mode=mode: file.chmod(mode) for mode in (0o620, 0o602, 0o666)},
    "link": as_link,
    "folder": as_folder,
    "pipe": as_pipe,
}


@pytest.mark.parametrize("what", UNTRUSTED)
def test_a_file_that_cannot_be_trusted_is_compiled_anew_and_kept_again(
    start: Callable[[], int], tmp_path: Path, what: str
) -> None:
    start()
    file, other = files_of(tmp_path)
    UNTRUSTED[what](file)
    assert start() == 1
    assert start() == (what == "folder"), "a folder is not replaced"
    UNTRUSTED[what](other)
    assert start() == 1 + (what == "folder")


def of_user(status: os.stat_result, user: int) -> os.stat_result:
    numbers = list(status)
    numbers[4] = user
    return os.stat_result(numbers)


def test_a_file_of_another_user_is_not_loaded(
    start: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start()
    fstat = os.fstat
    monkeypatch.setattr(cache.os, "fstat", lambda descriptor: of_user(fstat(descriptor), 54321))
    assert start() == 2


# ---------------------------------------------------------------- disks


def test_on_a_full_disk_play_goes_on(
    start: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def full(path: str | Path, flags: int, *mode: int) -> int:
        return real("/dev/full", os.O_WRONLY) if flags & os.O_CREAT else real(path, flags, *mode)

    monkeypatch.setattr(cache.os, "open", full)
    assert start() == 2
    assert start() == 2
    assert files_of(tmp_path) == []


def refuse(*_: object, **__: object) -> NoReturn:
    raise OSError(30, "Read-only file system")


def test_a_file_that_the_disk_does_not_take_whole_is_not_there(
    start: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        assert start() == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files_of(tmp_path) == []
    assert start() == 2
    assert start() == 0


def test_a_cache_that_can_only_be_read_is_read(
    start: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start()
    for name in ("mkdir", "replace", "unlink", "utime"):
        monkeypatch.setattr(os, name, refuse)
    assert start() == 0


# ---------------------------------------------------------------- folders

NAME = "0123456789abcdef0123"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The chosen cache folder and the system's temporary folder, both inside the test's folder."""
    chosen, temporary = tmp_path / "home" / "cache", tmp_path / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    monkeypatch.setenv(private_folder.CHOSEN, str(chosen))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return chosen, temporary


def is_private(folder: Path | None, below: Path) -> bool:
    assert folder is not None
    return folder.is_relative_to(below) and folder.is_dir() and folder.stat().st_mode & 0o777 == 0o700


def test_a_cache_removed_while_it_is_in_use_is_made_again(tmp_path: Path, start: Callable[[], int]) -> None:
    folder = tmp_path / "cache" / NAME
    path = folder / "f"
    with pytest.raises(FileNotFoundError):
        cache.write_checked(path, "key", b"body")
    assert private_folder.make_private(folder) is None
    cache.write_checked(path, "key", b"body")
    assert cache.read_checked(path, "key") == b"body"
    assert cache.read_checked(path, "another key") is None


def test_the_chosen_folder_is_made_and_used(places: tuple[Path, Path]) -> None:
    chosen, _ = places
    assert private_folder.code_folder(NAME) == chosen / NAME
    assert is_private(chosen / NAME, chosen)
    assert chosen.parent.stat().st_mode & 0o777 == 0o700
    assert private_folder.code_folder(NAME) == chosen / NAME


def writable_folder(folder: Path) -> None:
    folder.chmod(0o770)


def linked_folder(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(folder.with_name("elsewhere"))


def a_file(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("")


@pytest.mark.parametrize("change", [writable_folder, linked_folder, a_file])
def test_a_folder_that_others_could_fill_is_left_aside(
    places: tuple[Path, Path],
    change: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    chosen, temporary = places
    private_folder.code_folder(NAME)
    change(chosen / NAME)
    monkeypatch.setattr(private_folder, "_told", [])
    for _ in range(2):
        assert is_private(private_folder.code_folder(NAME), temporary)
    assert len(caplog.records) == 1  # a warning that the chosen folder is not used
    assert str(chosen.parent) in caplog.text


def test_a_folder_of_another_user_is_left_aside(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _, temporary = places
    mine = private_folder.code_folder(NAME)
    monkeypatch.setattr(private_folder, "_told", [])
    lstat, foreign = Path.lstat, [mine]
    monkeypatch.setattr(
        Path, "lstat", lambda path: of_user(lstat(path), 54321) if path in foreign else lstat(path)
    )
    other = private_folder.code_folder(NAME)
    assert is_private(other, temporary)
    foreign.append(other)  # another user has that folder too
    assert private_folder.code_folder(NAME) is None
    assert len(caplog.records) == 1


def test_where_nothing_can_be_written_nothing_is_kept(
    start: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "mkdir", refuse)
    monkeypatch.setattr(tempfile, "gettempdir", refuse)
    assert private_folder.code_folder(NAME) is None
    assert start() == 2
    assert files_of(tmp_path) == []


def test_only_folders_of_compiled_code_are_ever_removed(
    start: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """$SPACEMISSION_CACHE_DIR may be a folder with other contents, even the user's home."""
    monkeypatch.setattr(decorator, "KEPT_FOLDERS", 1)
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    for name in ("photos", "thesis", NAME, "f" * 20):
        (cache / name).mkdir()
        os.utime(cache / name, (1, 1))
    start()
    assert {"photos", "thesis"} <= {f.name for f in cache.iterdir()}
    assert not (cache / NAME).exists()
    assert start() == 0


# ---------------------------------------------------------------- several processes


def test_two_processes_compile_each_function_once(toy: ModuleType, tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {toy.__name__} as t; print(t.both())"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    misses = [eval(one.communicate(timeout=600)[0]) for one in both]
    assert [sum(of) for of in zip(*misses, strict=True)] == [1, 1]
    assert len(files_of(tmp_path)) == 2, "no lock is left"


def test_a_lock_that_nobody_gives_back_is_waited_for_no_longer_than_that(
    toy: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(cache, "PATIENCE", 0.3)
    path = toy.outer._cache.lock_of((numba.int64,), toy.outer.targetctx)
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        began = time.monotonic()
        assert toy.outer(3) == 40
        assert time.monotonic() - began >= 0.3


SAY = "import {toy} as t; t.both()"
WORKER = """
import multiprocessing, {toy} as t
if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=t.both)
    worker.start(), worker.join()
"""


@pytest.mark.parametrize(
    ("program", "quiet", "lines"),
    [(SAY, "", [cache.LINE]), (SAY, "1", []), (WORKER, "", [])],
    ids=["once", "switched off", "not by a worker"],
)
def test_a_process_says_once_that_it_compiles(
    program: str, quiet: str, lines: list[str], toy: ModuleType, tmp_path: Path
) -> None:
    file = tmp_path / "program.py"
    file.write_text(program.format(toy=toy.__name__))
    environment = {**os.environ, QUIET: quiet}
    for expected in (lines, []):  # the second run finds all code in the cache
        done = subprocess.run(
            [sys.executable, file], env=environment, capture_output=True, text=True, check=True
        )
        assert [line for line in done.stderr.splitlines() if line == cache.LINE] == expected


def test_a_second_training_run_compiles_nothing(tmp_path: Path) -> None:
    options = "--game kuhn_poker --preset ppo_scratch --players 2 --steps 64 --threads 1"
    few = "--set evaluation_games=8"
    environment = {**os.environ, private_folder.CHOSEN: str(tmp_path / "cache"), QUIET: ""}
    for lines in ([cache.LINE], []):
        command = ["train", *options.split(), *few.split(), "--out", str(tmp_path / f"run{len(lines)}")]
        ran = subprocess.run(
            [sys.executable, "-m", "spacemission_env", *command],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert [line for line in ran.stderr.splitlines() if line == cache.LINE] == lines
