"""Readers accept only regular files within limits; each file has only one writer."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pettingzoo import AECEnv

from spacemission_agents.games.space_mission.heuristic.weights import shipped_weights
from spacemission_agents.models.folder import load_model
from spacemission_agents.probing import load_probes
from spacemission_agents.report.page import read_pictures
from spacemission_agents.weights import load_weights
from spacemission_env import space_mission_v0
from spacemission_env.commands.shared import print_table
from spacemission_env.core import reading
from spacemission_env.core.errors import LONGEST, RecordError, SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.parse import load_components as load_deck
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import RecordWriter
from spacemission_train.settings import read_experiment
from spacemission_train.state import ResumeError, read_state, state_bytes
from tests.fuzz.runner import fuzz
from tests.support.command_line import run
from tests.support.front_ends import played_aec


def model_with(card: Path) -> tuple[Json, dict[str, np.ndarray]]:
    """Load a model with this card file."""
    folder = card.parent / "a model"
    folder.mkdir(exist_ok=True)
    os.rename(card, folder / "card.json")
    return load_model(folder)


READERS: dict[str, Callable[[Path], object]] = {
    "components": load_components,
    "deck": load_deck,
    "record": lambda path: list(replay_file(path)),
    "weights": lambda path: load_weights(path, shipped_weights()),
    "probes": lambda path: load_probes("space_mission", [path]),
    "picture": lambda path: read_pictures([str(path)]),
    "experiment": read_experiment,
    "state": read_state,
    "card": model_with,
}


def larger_than_the_disk(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(1 << 40)


UNREADABLE: dict[str, Callable[[Path], None] | bytes] = {
    "fifo": os.mkfifo,
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "larger than the disk": larger_than_the_disk,
    "one long line": b"x = [" + b"1," * (4 << 20),
    "deep": b'{"a":' * 50_000,
    "deep TOML": b"x = " + b"[" * 500 + b"]" * 500,
    "digits": b"format = 0x" + b"f" * 5000,
    "dots": b"a." * 30_000 + b"a = 1",
    "not text": b"name = '\xff'",
    "empty": b"",
}


@pytest.mark.skipif(os.name != "posix", reason="FIFOs and devices")
@pytest.mark.parametrize("what", UNREADABLE)
@pytest.mark.parametrize("kind", READERS)
def test_what_cannot_be_read_is_refused_in_one_line(kind: str, what: str, tmp_path: Path) -> None:
    path, made = tmp_path / "file", UNREADABLE[what]
    if isinstance(made, bytes):
        path.write_bytes(made)
    else:
        made(path)
    with pytest.raises(SpaceMissionError) as refused:
        READERS[kind](path)
    message = str(refused.value)
    assert message.isprintable() and len(message) <= LONGEST
    assert "file" in message or "a model" in message
    assert what not in ("fifo", "endless") or "is not a regular file" in message


@pytest.mark.parametrize("kind", READERS)
def test_a_folder_or_nothing_in_the_place_of_a_file(kind: str, tmp_path: Path) -> None:
    with pytest.raises((SpaceMissionError, FileNotFoundError)) as refused:
        READERS[kind](tmp_path / "none")
    assert "none" in str(refused.value)
    (tmp_path / "folder").mkdir()
    with pytest.raises(SpaceMissionError, match=r"Is a directory|no such|not a regular"):
        READERS[kind](tmp_path / "folder")


SHORT: Json = {"num_players": 2, "rules": "printed,max_rounds=1"}


def with_record(env: AECEnv, games: int) -> None:
    """Play games in an environment that records, and close it."""
    for seed in range(games):
        for _ in played_aec(env, seed, lambda mask: int(mask.argmax())):
            pass
    env.close()


def test_a_record_that_grows_while_it_is_read_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with_record(space_mission_v0.env(**SHORT, record=str(path)), 1)
    whole = path.read_bytes()
    replay = replay_file(path)
    for number, game in enumerate(replay):
        assert number == 0
        with open(path, "ab") as file:
            file.write(whole)
        game.finish()
    assert replay.size == len(whole)


def test_a_line_of_a_record_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b'{"type": "game", "x": "' + b"x" * reading.RECORD_LINE_BYTES + b'"}\n')
    with pytest.raises(RecordError, match="line 1: has more than"):
        list(replay_file(path))


def test_numbers_and_depth_have_a_limit() -> None:
    assert reading.loads(b"[" * reading.DEPTH + b"]" * reading.DEPTH)
    for wrong in (b"[" * 33 + b"]" * 33, b"[" + b" " * 5000 + b"9" * 41 + b"]"):
        with pytest.raises((ValueError, RecursionError)):
            reading.loads(wrong)
    assert reading.parse_toml(f"x = {'9' * 40}", SpaceMissionError, "here")["x"] == 10**40 - 1
    for text in (
        f"x = {'9' * 41}",
        f"x = -{'9' * 5000}",
        f"x = 0b{'1' * 5000}",
        "x = " + "[" * 33 + "]" * 33,
    ):
        with pytest.raises(SpaceMissionError, match=r"^here: not TOML: "):
            reading.parse_toml(text, SpaceMissionError, "here")


def test_control_characters_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "\x1b[31mred\x07.toml"
    for arguments in (
        ["components", "check", name],
        ["replay", name],
        ["play", "--agents", f"{name},random"],
    ):
        told = run(*arguments, status=1).stderr
        assert "\x1b" not in told and "\x07" not in told and "\\x1b[31mred" in told
    print_table(("agent",), [[name]])
    assert "\x1b" not in capsys.readouterr().out


def test_labels_of_a_record_are_printable(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with_record(space_mission_v0.env(**SHORT, record=str(path)), 1)
    lines = path.read_text().replace('"agents": ["', '"agents": ["\\u001b[2J')
    path.write_text(lines)
    with pytest.raises(RecordError, match=r"line 1: game: agents: expected printable text"):
        list(replay_file(path))


# ---------------------------------------------------------------- one writer a file


def test_two_environments_cannot_record_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    first = space_mission_v0.env(**SHORT, record=str(path))
    with pytest.raises(RecordError, match="another environment or program is writing it"):
        space_mission_v0.env(num_players=2, record=str(path))
    with_record(first, 2)
    assert len(list(replay_file(path))) == 2
    with_record(space_mission_v0.env(**SHORT, record=str(path)), 1)
    assert len(list(replay_file(path))) == 1  # an existing file is replaced


def test_another_process_cannot_record_to_the_file_either(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    command = ["-m", "spacemission_env", "play", "--agents", "random,random", "--record", str(path)]
    with RecordWriter(path):
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "another environment or program is writing it" in done.stderr
    assert not path.exists()  # created, and removed without a game


def test_a_file_that_was_removed_by_whoever_had_it_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for _ in range(3):
        RecordWriter(path).close()
        assert not path.exists()


# ---------------------------------------------------------------- the digest of a state


def test_one_changed_byte_breaks_the_checksum_of_a_state(tmp_path: Path) -> None:
    import torch

    path = tmp_path / "state"
    data = state_bytes({}, {"a": torch.arange(6.0)})
    path.write_bytes(data)
    with pytest.raises(ResumeError, match="of format"):  # the checksum is right
        read_state(path)
    for i in range(len(data)):
        path.write_bytes(data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :])
        with pytest.raises(ResumeError, match="not a state file: "):
            read_state(path)


# ---------------------------------------------------------------- mutated files


@pytest.mark.slow
def test_mutated_files_are_refused_in_one_line_or_serve_to_their_end() -> None:
    kinds = ["components", "deck", "setup", "rules", "record", "model", "weights", "experiment", "set"]
    found = fuzz(350, 1, kinds)
    assert found.failures == []
    assert found.refused.total() > 170 and found.accepted.total() > 10
