"""The journal: records are written and read; incomplete ones are cut off, damaged ones reported."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.arena import journal
from spacemission_agents.arena.journal import (
    Collector,
    JournalError,
    JournalReader,
    JournalWriter,
    first_damaged,
    mend,
    record_of,
    with_checksums,
)
from spacemission_env.core.game_spec import find_game

RECORD = record_of(find_game("space_mission"))
RECORD_BYTES = RECORD.itemsize


def some_records(count: int, seed: int = 0) -> np.ndarray:
    data = np.random.default_rng(seed).integers(0, 256, count * RECORD_BYTES, np.uint8)
    records = np.frombuffer(data.tobytes(), RECORD).copy()
    records["game"] = np.arange(count)
    return records


def journal_of(path: Path, records: np.ndarray) -> Path:
    path.touch()
    writer = JournalWriter(path)
    writer.append(with_checksums(records))
    writer.close()
    return path


def read_all(path: Path) -> np.ndarray:
    reader = JournalReader(path, RECORD)
    parts = [reader.read()]
    while len(parts[-1]):
        parts.append(reader.read())
    reader.close()
    return np.concatenate(parts)


def test_a_record_never_crosses_a_page() -> None:
    assert 4096 % RECORD_BYTES == 0  # so a killed writer leaves complete records


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    records = some_records(20_000)
    path = journal_of(tmp_path / "games.bin", records)
    found = read_all(path)
    records["crc"] = found["crc"]
    assert found.tobytes() == records.tobytes()
    writer, reader = JournalWriter(path), JournalReader(path, RECORD)
    while len(reader.read()):
        pass
    writer.append(with_checksums(records[5:7]))
    assert reader.read()["game"].tolist() == [5, 6]
    assert reader.read_so_far == 20_002


def test_every_damaged_byte_is_noticed() -> None:
    data = with_checksums(some_records(3))
    assert first_damaged(data, RECORD_BYTES) == -1
    for place in range(len(data)):
        for bit in (1, 128):
            damaged = bytearray(data)
            damaged[place] ^= bit
            assert first_damaged(bytes(damaged), RECORD_BYTES) == place // RECORD_BYTES
    assert first_damaged(bytes(RECORD_BYTES), RECORD_BYTES) == 0  # zeros, as a crash of the machine may leave


def test_a_torn_last_record_is_cut_off(tmp_path: Path) -> None:
    records = some_records(4)
    for torn in (1, 100, RECORD_BYTES - 1):
        path = journal_of(tmp_path / f"{torn}.bin", records)
        with open(path, "ab") as file:
            file.write(with_checksums(records[:1])[:torn])
        mend(path, RECORD_BYTES)
        assert path.read_bytes() == with_checksums(records)
    with open(path, "r+b") as file:
        file.seek(-20, os.SEEK_END)
        file.write(b"xx")
    mend(path, RECORD_BYTES)
    assert path.read_bytes() == with_checksums(records[:3])
    empty = tmp_path / "empty.bin"
    empty.touch()
    mend(empty, RECORD_BYTES)
    assert len(read_all(empty)) == 0


def test_a_damaged_record_in_the_middle_is_named(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "games.bin", some_records(4))
    with open(path, "r+b") as file:
        file.seek(RECORD_BYTES + 7)
        file.write(b"?")
    mend(path, RECORD_BYTES)
    with pytest.raises(JournalError, match="record 2 is damaged: its CRC is wrong"):
        read_all(path)


def test_nobody_mends_a_journal_that_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    monkeypatch.setattr("spacemission_agents.arena.journal.ORPHANS_SECONDS", 0.1)
    path = journal_of(tmp_path / "games.bin", some_records(1))
    writer, other = JournalWriter(path), JournalWriter(path)  # two writers at a time
    with pytest.raises(JournalError, match="another process still writes to it"):
        mend(path, RECORD_BYTES)
    writer.close()
    with pytest.raises(JournalError, match="another process still writes to it"):
        mend(path, RECORD_BYTES)
    other.close()
    mend(path, RECORD_BYTES)
    with open(path, "rb") as one, open(path, "rb") as two:
        journal.lock(one.fileno(), 0, "taken")
        with pytest.raises(JournalError, match="taken"):
            journal.lock(two.fileno(), 0, "taken")


def test_words_are_cut_between_characters() -> None:
    assert journal.bounded("one\ntwo", 104) == b"one"
    assert journal.bounded("", 104) == b""
    assert journal.bounded("a" * 103 + "é", 104) == b"a" * 103
    assert journal.bounded("a" * 102 + "é", 104) == b"a" * 102 + "é".encode()


# ---------------------------------------------------------------- putting set-ups together


def test_set_ups_come_whole_and_in_order() -> None:
    rng = np.random.default_rng(1)
    records = some_records(600)
    collector = Collector(6, 100, Path("j"), RECORD)
    order = np.concatenate([rng.permutation(600), rng.integers(0, 600, 50)])  # some games twice
    given: list[int] = []
    new = 0
    for start in range(0, len(order), 13):
        some = order[start : start + 13]
        missing = collector.missing(some)
        assert (collector.add(records[some]) <= missing).all()
        new = collector.games
        given += collector.take(int(rng.integers(1, 5)))["game"].ravel().tolist()
    while len(part := collector.take()):
        given += part["game"].ravel().tolist()
    assert given == list(range(600))
    assert new == 600
    assert not collector.missing(np.arange(600)).any()
    assert collector.missing(np.arange(600, 610)).all()


def test_a_game_that_does_not_exist_is_damage() -> None:
    for number in (600, 2**63, 2**64 - 1):
        records = some_records(3)
        records["game"][1] = number
        with pytest.raises(JournalError, match="record 12 is damaged: there is no game"):
            Collector(6, 100, Path("j"), RECORD).add(records, before=10)
