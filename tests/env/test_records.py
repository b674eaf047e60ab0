"""Records: written from play, replayed without luck, refused where a line does not hold."""

from __future__ import annotations

import gc
import io
import json
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spacemission_env.core.errors import RecordError
from spacemission_env.games.space_mission.components import Components, load_components
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from spacemission_env.records.reader import difference, replay_file
from spacemission_env.records.writer import GameRecord, RecordWriter, write_line
from tests.golden.make_golden import FOLDER, GOLDEN
from tests.golden.make_golden import play as play_golden
from tests.support.random_play import VARIANTS, choose

Entry = dict[str, Any]


def played(num_players: int, rules: Any = "printed", seed: int = 0, components: Any = None) -> GameRecord:
    rng = random.Random(seed)
    game = Game(num_players, rules, components)
    game.reset(seed=seed)
    record = GameRecord(game, [f"agent {j} · “é”" for j in range(num_players)])
    while not game.over:
        action = choose(game, game.legal_actions(), rng)
        record.before(action)
        game.step(action)
    record.finish()
    return record


def written_again(path: Path) -> str:
    """What the writer makes of the games of a file while they are replayed."""
    text = ""
    for replayed in replay_file(path):
        record = GameRecord(replayed.game, replayed.agents)
        for decision in replayed:
            assert decision.player == replayed.game.player
            record.before(decision.action)
        record.finish()
        assert replayed.cut is None
        assert replayed.result is not None
        text += record.text()
    return text


# ---------------------------------------------------------------- round trips


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_a_record_replays_to_the_same_bytes(num_players: int, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    variants = VARIANTS[num_players % 2 :: 2]  # each with two of the player counts
    with RecordWriter(file) as writer:
        for i, (_, rules) in enumerate(variants):
            writer.add(played(num_players, rules, seed=100 * num_players + i))
    assert writer.games == len(variants)
    text = file.read_text("utf-8")
    assert '"type": "shuffle"' in text
    assert written_again(file) == text


def test_a_replay_uses_no_random_numbers_of_the_program(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in played(3, seed=3).lines]
    lines[0]["seed"] = 12345  # another seed than the one dealt from: only later shuffles would differ
    file = tmp_path / "game.jsonl"
    file.write_text("".join(write_line(line) + "\n" for line in lines), "utf-8")
    assert any(line["type"] == "shuffle" for line in lines)
    assert written_again(file) == file.read_text("utf-8")


def test_a_replay_goes_through_the_positions_of_the_game(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(played(4, seed=8).text(), "utf-8")
    game = Game(4)
    game.reset(seed=8)
    (replayed,) = replay_file(file)
    assert replayed.actions == sum(
        '"type": "action"' in line for line in file.read_text("utf-8").splitlines()
    )
    for replayed in replay_file(file):
        for decision in replayed:
            for seat in range(4):
                assert game.information_state_key(seat) == replayed.game.information_state_key(seat)
            game.step(decision.action)
        assert replayed.game.scores_json() == game.scores_json()


def test_other_components_come_from_the_record_alone(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(played(2, seed=4, components=swapped(load_components())).text(), "utf-8")
    assert "Ördög" in file.read_text("utf-8")
    assert written_again(file) == file.read_text("utf-8")


def swapped(box: Components) -> Components:
    """Another box: a card twice, a name with letters of its own, other tile counts."""
    from spacemission_env.games.space_mission.components import components_from_data
    from spacemission_env.games.space_mission.engine.constants import KIND_NAMES

    data = box.to_json()
    del data["sha256"]
    data["name"] = "other"
    data["planets"][0]["name"] = "Ördög"
    data["cards"][1] = data["cards"][0]
    tiles = dict(zip(KIND_NAMES, box.tiles, strict=True))
    tiles["water"] += 1
    tiles["medal"] -= 1
    return components_from_data({**data, "tiles": tiles}, "test")


@pytest.mark.parametrize("name", list(GOLDEN))
def test_golden_playthroughs(name: str) -> None:
    num_players, rules, seed = GOLDEN[name]
    text = (FOLDER / name).read_text("utf-8")
    assert play_golden(num_players, rules, seed).text() == text
    assert written_again(FOLDER / name) == text


def test_every_player_count_has_a_golden_playthrough() -> None:
    assert {arguments[0] for arguments in GOLDEN.values()} == {2, 3, 4, 5}
    assert {file.name for file in FOLDER.glob("*.jsonl")} == set(GOLDEN)


def test_a_setup_given_in_any_order_and_a_legal_set_in_any_order_hold(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in played(2, seed=5).lines]
    lines[0]["setup"]["piles"][0].reverse()
    lines[0]["setup"]["hands"][0].reverse()
    lines[1]["legal"].reverse()
    file = tmp_path / "game.jsonl"
    file.write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in lines), "utf-8")
    (replayed,) = replay_file(file)
    replayed.finish()
    assert replayed.result is not None


# ---------------------------------------------------------------- records that do not hold

BASE = [json.loads(line) for line in played(3, seed=21).lines]
SHUFFLE = next(i for i, line in enumerate(BASE) if line["type"] == "shuffle")
TAKE = next(i for i, line in enumerate(BASE) if line.get("move", {}).get("kind") == "take")
JUMP = next(i for i, line in enumerate(BASE) if line.get("move", {}).get("kind") == "jump")
CALM = next(i for i in range(1, SHUFFLE) if BASE[i]["type"] == BASE[i + 1]["type"] == "action")
LAST = len(BASE) - 1


def put(index: int, *keys: Any, to: Any) -> Callable[[list[Entry]], None]:
    """Set the value that the keys lead to in a line."""

    def alter(lines: list[Entry]) -> None:
        inner: Any = lines[index]
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = to(inner[keys[-1]]) if callable(to) else to

    return alter


def add(index: int, key: str) -> Callable[[list[Entry]], None]:
    return lambda lines: lines[index].update({key: 1})


def drop(index: int, key: str) -> Callable[[list[Entry]], Any]:
    return lambda lines: lines[index].pop(key)


def without(index: int) -> Callable[[list[Entry]], Any]:
    return lambda lines: lines.pop(index)


def twice(index: int) -> Callable[[list[Entry]], None]:
    return lambda lines: lines.insert(index, lines[index])


def two_swapped(values: list[Any]) -> list[Any]:
    i = next(i for i in range(1, len(values)) if values[i] != values[0])
    values[0], values[i] = values[i], values[0]
    return values


# Case: alteration, number of the line to be named, a part of the reason.
ALTERED: dict[str, tuple[Callable[[list[Entry]], Any], int, str]] = {
    "format": (put(0, "format", to=2), 1, "format: 2 is not known"),
    "format true": (put(0, "format", to=True), 1, "format: True, but the game gives 1"),
    "env": (put(0, "env", to="chess_v6"), 1, "env: 'chess_v6' is not known"),
    "num_players": (put(0, "num_players", to=4), 1, "hands: expected a list of 4 entries, got 3"),
    "num_players 9": (put(0, "num_players", to=9), 1, "num_players: expected 2 to 5, not 9"),
    "no seed": (drop(0, "seed"), 1, "seed: expected an integer"),
    "seed": (put(0, "seed", to=-1), 1, "seed: expected an integer"),
    "no agents": (drop(0, "agents"), 1, "agents: expected a list of 3 names"),
    "agents": (put(0, "agents", to=["a", "b"]), 1, "agents: expected a list of 3 names"),
    "header entry": (add(0, "extra"), 1, "'extra' is not an entry of format 1"),
    "rules missing": (lambda lines: lines[0]["rules"].pop("max_rounds"), 1, "rules: 'max_rounds' is missing"),
    "rules unset": (put(0, "rules", "space_tiles_to_end", to=None), 1, "'space_tiles_to_end' is missing"),
    "start player unset": (put(0, "rules", "start_player", to=None), 1, "rules: 'start_player' is missing"),
    "start player nobody": (put(0, "rules", "start_player", to=3), 1, "start_player: there is no seat 3"),
    "start player name": (
        put(0, "rules", "start_player", to="me"),
        1,
        "rules: start_player: expected 'random'",
    ),
    "start player true": (put(0, "rules", "start_player", to=True), 1, "not True"),
    "start player other": (
        lambda lines: lines[0]["rules"].update(start_player=1 - lines[0]["setup"]["start_player"]),
        1,
        "setup: start_player:",
    ),
    "top-ups unset": (put(0, "rules", "empty_top_up", to=None), 1, "rules: 'empty_top_up' is missing"),
    "top-ups other": (put(0, "rules", "empty_top_up", to=False), 0, "action: legal: 0 is not legal here"),
    "scans as text": (
        put(0, "rules", "scan_face_up", to="off"),
        1,
        "rules: scan_face_up: expected true or false",
    ),
    "rules unknown": (lambda lines: lines[0]["rules"].update(luck=1), 1, "rules: unknown option 'luck'"),
    "rules range": (put(0, "rules", "hand_size", to=6), 1, "rules: hand_size: expected a whole number"),
    "rules preset": (put(0, "rules", to="printed"), 1, "rules: expected an object of options"),
    "rules other": (put(0, "rules", "chips_per_player", to=1), 0, "action: legal: "),
    "sha256": (put(0, "components", "sha256", to="0" * 64), 1, "components.sha256: '000"),
    "planet": (put(0, "components", "planets", 0, "jump", to=lambda n: n % 4 + 1), 1, "components.sha256"),
    "planet range": (put(0, "components", "planets", 3, "scan", to=5), 1, "planets[3] 'Green Heggar': scan"),
    "card": (put(0, "components", "cards", 0, "id", to="J9"), 1, ""),
    "cards": (put(0, "components", "cards", to=lambda cards: cards[1:]), 1, "cards: expected exactly 60"),
    "no components": (drop(0, "components"), 1, "components: expected an object"),
    "setup": (put(0, "setup", to=None), 1, "setup: piles: expected lists"),
    "setup ring": (put(0, "setup", "ring", 0, to="Pluto"), 1, "setup: ring[0]: unknown planet 'Pluto'"),
    "setup tile": (put(0, "setup", "piles", 0, 0, to="gold"), 1, "setup: piles: expected 48 point"),
    "setup card": (put(0, "setup", "draw_pile", to=lambda p: [p[1], *p[1:]]), 1, "setup: cards: "),
    "setup start": (put(0, "setup", "start_player", to=lambda s: (s + 1) % 3), 2, "player: "),
    "setup order": (put(0, "setup", "ring", to=two_swapped), 0, ""),
    "player": (put(CALM, "player", to=lambda p: (p + 1) % 3), CALM + 1, "player: "),
    "player true": (put(CALM, "player", to=True), CALM + 1, "player: True"),
    "no player": (drop(CALM, "player"), CALM + 1, "player: None"),
    "action": (put(CALM, "action", to=89), CALM + 1, "action 89 (discover) is illegal"),
    "action range": (put(CALM, "action", to=101), CALM + 1, "action 101: not in 0 to 100"),
    "action text": (put(CALM, "action", to="0"), CALM + 1, "action '0': expected an integer"),
    "action float": (put(CALM, "action", to=float), CALM + 1, "expected an integer"),
    "action other": (put(CALM, "action", to=lambda a: 1 if a == 0 else 0), CALM + 1, "action: move"),
    "legal": (put(CALM, "legal", to=lambda legal: legal[1:]), CALM + 1, "action: legal: 0 is left out"),
    "legal more": (put(CALM, "legal", to=lambda legal: [*legal, 100]), CALM + 1, "legal: 100 is not legal"),
    "legal twice": (put(CALM, "legal", to=lambda legal: [*legal, legal[0]]), CALM + 1, "action: legal"),
    "legal true": (put(CALM, "legal", 1, to=True), CALM + 1, "action: legal[1]: True, but the game gives 1"),
    "legal none": (put(CALM, "legal", to=None), CALM + 1, "action: legal: None"),
    "move card": (put(JUMP, "move", "card", to="J9"), JUMP + 1, "action: move.card: 'J9'"),
    "move tile": (put(TAKE, "move", "tile", to="gold"), TAKE + 1, "action: move.tile: 'gold'"),
    "no move": (drop(CALM, "move"), CALM + 1, "action: move: is missing"),
    "action entry": (add(CALM, "note"), CALM + 1, "'note' is not an entry of format 1"),
    "action gone": (without(CALM), CALM + 1, ""),
    "action again": (twice(LAST - 1), LAST + 1, "action: the game is over, a result line is due"),
    "shuffle card": (put(SHUFFLE, "draw_pile", 0, to="J9"), SHUFFLE + 1, "shuffle: draw_pile: "),
    "shuffle short": (put(SHUFFLE, "draw_pile", to=lambda p: p[1:]), SHUFFLE + 1, "the discard pile has 1"),
    "shuffle long": (
        put(SHUFFLE, "draw_pile", to=lambda p: [*p, p[0]]),
        SHUFFLE + 1,
        "shuffle: draw_pile: 2",
    ),
    "shuffle none": (put(SHUFFLE, "draw_pile", to=None), SHUFFLE + 1, "expected a list of card ids"),
    "shuffle entry": (add(SHUFFLE, "seed"), SHUFFLE + 1, "'seed' is not an entry of format 1"),
    "shuffle gone": (without(SHUFFLE), SHUFFLE + 1, f"expected the shuffle that line {SHUFFLE} caused"),
    "shuffle again": (twice(SHUFFLE), SHUFFLE + 2, "shuffle: the draw pile was not formed anew here"),
    "shuffle first": (lambda lines: lines.insert(1, lines[SHUFFLE]), 2, "was not formed anew here"),
    "shuffle order": (put(SHUFFLE, "draw_pile", to=lambda p: p[::-1]), 0, ""),
    "reason": (put(LAST, "reason", to="truncated"), LAST + 1, "result: reason: 'truncated', but the game"),
    "rounds": (put(LAST, "rounds", to=lambda n: n + 1), LAST + 1, "result: rounds"),
    "score": (put(LAST, "scores", 1, "gate", to=lambda n: n + 1), LAST + 1, "result: scores[1].gate"),
    "score float": (put(LAST, "scores", 1, "gate", to=float), LAST + 1, "result: scores[1].gate"),
    "score missing": (
        lambda lines: lines[LAST]["scores"][0].pop("total"),
        LAST + 1,
        "scores[0].total: is missing",
    ),
    "scores": (put(LAST, "scores", to=lambda s: s[1:]), LAST + 1, "result: scores"),
    "winners": (put(LAST, "winners", to=[0, 1, 2]), LAST + 1, "result: winners"),
    "early result": (lambda lines: lines.__delitem__(slice(5, LAST)), 6, "result: the game is not over"),
    "after the result": (
        lambda lines: lines.append(lines[1]),
        LAST + 2,
        "action: the game ended with its result",
    ),
    "no header": (without(0), 1, "action: a game has to begin with its game line"),
    "type": (put(CALM, "type", to="move"), CALM + 1, "expected an object whose type is one of game, action"),
    "type list": (put(CALM, "type", to=[]), CALM + 1, "expected an object whose type is one of game, action"),
}


@pytest.mark.parametrize("case", list(ALTERED))
def test_an_altered_record_is_refused_by_its_line(case: str, tmp_path: Path) -> None:
    alter, line, reason = ALTERED[case]
    lines = json.loads(json.dumps(BASE))
    alter(lines)
    file = tmp_path / "altered.jsonl"
    file.write_text("".join(write_line(entry) + "\n" for entry in lines), "utf-8")
    with pytest.raises(RecordError) as refused:
        list(replay_file(file))
    message = str(refused.value)
    found = re.fullmatch(re.escape(str(file)) + r": line (\d+): (.+)", message)
    assert found, message
    assert line in (0, int(found[1])), message  # 0: any line, it only shows later
    assert reason in found[2], message


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"{\n", "not JSON"),
        (b"[1]\n", "expected an object"),
        (b"\n", "not JSON"),
        (b"\xff\xfe\n", "not JSON in UTF-8"),
        (b"[" * 100_000 + b"\n", "not JSON"),
        (b"1" * 10_000 + b"\n", "not JSON"),
        (b"null\n", "expected an object"),
    ],
)
def test_a_line_that_is_not_json_is_refused(raw: bytes, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    head = (write_line(BASE[0]) + "\n").encode()
    file.write_bytes(head + raw + (write_line(BASE[1]) + "\n").encode())
    with pytest.raises(RecordError, match=rf"line 2: {reason}"):
        list(replay_file(file))


# ---------------------------------------------------------------- cut records


def text_of(lines: list[Entry]) -> str:
    return "".join(write_line(line) + "\n" for line in lines)


def test_a_record_without_a_result_replays_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl"
    for count in (1, 2, CALM, SHUFFLE - 1, SHUFFLE + 1, LAST):
        file.write_text(text_of(BASE[:count]), "utf-8")
        (replayed,) = replay_file(file)
        actions = sum(line["type"] == "action" for line in BASE[:count])
        assert replayed.actions == actions
        assert replayed.cut == f"cut short after {actions} actions: no result line"
        assert replayed.result is None


def test_a_last_line_cut_anywhere_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl"
    whole, last = text_of(BASE[:4]), write_line(BASE[4])
    for length in range(0, len(last), 7):
        file.write_text(whole + last[:length], "utf-8")
        (replayed,) = replay_file(file)
        assert replayed.actions == 3
        assert replayed.cut
    file.write_text(whole + last, "utf-8")  # only the line end is missing
    (replayed,) = replay_file(file)
    assert replayed.actions == 4


def test_a_record_cut_before_a_shuffle_stops_before_the_move_that_caused_it(tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl"
    whole = text_of(BASE[:SHUFFLE])
    for text in (whole, whole + write_line(BASE[SHUFFLE])[:40], whole + text_of(BASE)):
        file.write_text(text, "utf-8")
        replayed = next(replay_file(file))
        replayed.finish()
        assert replayed.actions == SHUFFLE - 2
        assert replayed.cut == f"cut short after {SHUFFLE - 2} actions: no shuffle for line {SHUFFLE}"
        assert replayed.game.states[0].shuffles == 0


def test_a_game_can_be_read_on_after_its_file_object_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(text_of(BASE), "utf-8")
    replayed = next(replay_file(file))
    gc.collect()
    replayed.finish()
    assert replayed.result == BASE[LAST]


def test_games_after_a_cut_one_and_a_cut_header_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(text_of(BASE[:5]) + text_of(BASE) + write_line(BASE[0])[:99], "utf-8")
    records = replay_file(file)
    first, second = records
    assert first.cut == "cut short after 4 actions: no result line"
    assert second.cut is None
    assert (first.line, second.line, second.number) == (1, 6, 2)
    assert records.note == f"line {len(BASE) + 6} is cut short: a game not begun"
    assert records.offset == records.size


def test_one_game_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text("".join(played(2, Rules(max_rounds=5), seed).text() for seed in range(3)), "utf-8")
    (replayed,) = replay_file(file, game=2)
    assert replayed.game.seed == 1
    assert replayed.result is not None
    with pytest.raises(RecordError, match="there is no game 4, the file has 3"):
        list(replay_file(file, game=4))


def test_what_is_left_of_a_game_is_checked_before_the_next(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    lines = json.loads(json.dumps(BASE))
    lines[LAST]["winners"] = []
    file.write_text(text_of(lines) + text_of(BASE), "utf-8")
    records = replay_file(file)
    next(records)
    with pytest.raises(RecordError, match=f"line {LAST + 1}: result: winners"):
        next(records)


@pytest.mark.parametrize("content", ["", '{"type": "ga'])
def test_a_file_without_a_game_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text(content, "utf-8")
    with pytest.raises(RecordError, match="no game record in it"):
        list(replay_file(file))
    with pytest.raises(RecordError, match="No such file"):
        replay_file(tmp_path / "missing.jsonl")


# ---------------------------------------------------------------- the writer


def test_files_are_replaced_by_the_first_game_or_added_to(tmp_path: Path) -> None:
    record = played(2, Rules(max_rounds=4))
    file = tmp_path / "games.jsonl"
    file.write_text("old", "utf-8")
    RecordWriter(file).close()
    assert file.read_text("utf-8") == "old"
    with pytest.raises(RecordError, match="its last line is cut"):
        RecordWriter(file, append=True)
    assert file.read_text("utf-8") == "old"
    for append in (False, True, True):
        with RecordWriter(str(file), append=append) as writer:
            writer.add(record)
    assert file.read_text("utf-8") == record.text() * 3
    stream = io.StringIO()
    with RecordWriter(stream) as writer:
        writer.add(record)
    assert stream.getvalue() == record.text()


def test_an_unwritable_path_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "games.jsonl"):
        with pytest.raises(RecordError, match=r"record file .*: cannot be written: "):
            RecordWriter(path)
    fresh = tmp_path / "games.jsonl"
    RecordWriter(fresh).close()
    assert os.listdir(tmp_path) == []
    writer = RecordWriter(fresh)
    writer.add(played(2, Rules(max_rounds=4)))
    writer.close()
    with pytest.raises(RecordError, match="is closed"):
        writer.add(played(2, Rules(max_rounds=4)))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    with RecordWriter("/dev/full") as writer, pytest.raises(RecordError, match="No space left"):
        writer.add(played(2, Rules(max_rounds=4)))


def test_records_begin_at_the_beginning_and_end_at_the_end() -> None:
    game = Game(2)
    with pytest.raises(RecordError, match="just reset"):
        GameRecord(game, ["a", "b"])
    game.reset(seed=1)
    with pytest.raises(RecordError, match="expected 2 names"):
        GameRecord(game, ["a"])
    with pytest.raises(RecordError, match="printable"):
        GameRecord(game, ["a", "b\udc80"])
    record = GameRecord(game, ["a", "b"])
    with pytest.raises(RecordError, match="not over"):
        record.finish()
    game.step(0)
    with pytest.raises(RecordError, match="just reset"):
        GameRecord(game, ["a", "b"])


def test_difference_names_the_first_place() -> None:
    assert difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}) is None
    assert difference({"a": 1, "b": 2}, {"b": 2, "a": 1}) is None
    assert difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == "a[1].b: 3, but the game gives 2"
    assert difference({"a": 1}, {"a": 1.0}) == "a: 1.0, but the game gives 1"
    assert difference([1], [1, 2], "x") == "x: [1, 2], but the game gives [1]"
    assert len(difference("a" * 500, "b" * 500, "x") or "") < 300
