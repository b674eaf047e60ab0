"""Records replay without random numbers, and invalid lines are refused."""

import gc
import json
import os
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from spacemission_env.core.errors import RecordError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from spacemission_env.records.reader import difference, replay_file
from spacemission_env.records.writer import GameRecord, RecordWriter, write_line
from tests.golden.make_golden import FOLDER, GOLDEN
from tests.golden.make_golden import play as play_golden
from tests.support.random_play import VARIANTS, choose

Entry = Json


def played(
    num_players: int, rules: object = "printed", seed: int = 0, components: object = None
) -> GameRecord:
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
    """Write the games of a file again during their replay."""
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


def text_of(lines: list[Entry]) -> str:
    return "".join(write_line(line) + "\n" for line in lines)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


# ---------------------------------------------------------------- round trips


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_a_record_replays_to_the_same_bytes(num_players: int, file: Path) -> None:
    variants = VARIANTS[num_players % 2 :: 2]  # each variant is used with two numbers of players
    with RecordWriter(file) as writer:
        for i, (_, rules) in enumerate(variants):
            writer.add(played(num_players, rules, seed=100 * num_players + i))
    assert writer.games == len(variants)
    text = file.read_text("utf-8")
    assert '"type": "shuffle"' in text
    assert written_again(file) == text


def test_a_replay_uses_no_random_numbers_of_the_program(file: Path) -> None:
    lines = [json.loads(line) for line in played(3, seed=3).lines]
    lines[0]["seed"] = 12345  # another seed would only change later shuffles
    file.write_text(text_of(lines), "utf-8")
    assert any(line["type"] == "shuffle" for line in lines)
    assert written_again(file) == file.read_text("utf-8")


@pytest.mark.parametrize("name", list(GOLDEN))
def test_golden_playthroughs(name: str) -> None:
    num_players, rules, seed = GOLDEN[name]
    text = (FOLDER / name).read_text("utf-8")
    assert play_golden(num_players, rules, seed).text() == text
    assert written_again(FOLDER / name) == text


def test_every_player_count_has_a_golden_playthrough() -> None:
    assert {arguments[0] for arguments in GOLDEN.values()} == {2, 3, 4, 5}
    assert {file.name for file in FOLDER.glob("*.jsonl")} == set(GOLDEN)


def test_a_setup_given_in_any_order_and_a_legal_set_in_any_order_hold(file: Path) -> None:
    lines = [json.loads(line) for line in played(2, seed=5).lines]
    lines[0]["setup"]["piles"][0].reverse()
    lines[0]["setup"]["hands"][0].reverse()
    lines[1]["legal"].reverse()
    file.write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in lines), "utf-8")
    (replayed,) = replay_file(file)
    replayed.finish()
    assert replayed.result is not None


# ---------------------------------------------------------------- records that do not hold

BASE = [json.loads(line) for line in played(3, seed=21).lines]
SHUFFLE = next(i for i, line in enumerate(BASE) if line["type"] == "shuffle")
TAKE = next(i for i, line in enumerate(BASE) if line.get("move", "").startswith("take "))
JUMP = next(i for i, line in enumerate(BASE) if line.get("move", "").startswith("jump "))
CALM = next(i for i in range(1, SHUFFLE) if BASE[i]["type"] == BASE[i + 1]["type"] == "action")
LAST = len(BASE) - 1


Alter = Callable[[list[Entry]], object]


def put(index: int, *keys: object, to: object) -> Alter:
    """Replace the value at a path in a line, or the line itself."""

    def alter(lines: list[Entry]) -> None:
        inner = lines
        *way, last = (index, *keys)
        for key in way:
            inner = inner[key]
        inner[last] = to(inner[last]) if callable(to) else to

    return alter


def add(index: int, key: str) -> Alter:
    return lambda lines: lines[index].update({key: 1})


def drop(index: int, *keys: object) -> Alter:
    """Remove the entry at a path."""
    *way, last = keys
    return put(index, *way, to=lambda entry: {k: v for k, v in entry.items() if k != last})


def without(index: int) -> Alter:
    return lambda lines: lines.pop(index)


def twice(index: int) -> Alter:
    return lambda lines: lines.insert(index, lines[index])


def two_swapped(values: list[object]) -> list[object]:
    i = next(i for i in range(1, len(values)) if values[i] != values[0])
    values[0], values[i] = values[i], values[0]
    return values


def the_other_start(lines: list[Entry]) -> None:
    lines[0]["rules"].update(start_player=1 - lines[0]["setup"]["start_player"])


# Line to alter (from 0), path in it, new value, part of the message; the message names this line.
IN_A_LINE: list[tuple[int, str, object, str]] = [
    (0, "format", 1, "format: 1 is not known"),
    (0, "format", 2.0, "format: 2.0, but the game gives 2"),
    (0, "env", "chess_v6", "env: 'chess_v6' is not known"),
    (0, "num_players", 4, "hands: expected a list of 4 entries, got 3"),
    (0, "num_players", 9, "num_players: expected 2 to 5, not 9"),
    (0, "seed", -1, "seed: expected an integer"),
    (0, "agents", ["a", "b"], "agents: expected a list of 3 names"),
    (0, "rules", "printed", "rules: expected an object of options"),
    (0, "rules.space_tiles_to_end", None, "rules.space_tiles_to_end: None, but the game gives"),
    (0, "rules.start_player", None, "rules: start_player: expected 'random'"),
    (0, "rules.start_player", 3, "start_player: there is no seat 3"),
    (0, "rules.luck", 1, "rules: unknown option 'luck'"),
    (0, "rules.hand_size", 6, "rules: hand_size: expected a whole number"),
    (0, "components.sha256", "0" * 64, "components.sha256: '000"),
    (0, "components.planets.0.jump", lambda n: n % 4 + 1, "components.sha256"),
    (0, "components.planets.3.scan", 5, "planets[3] 'Green Heggar': scan"),
    (0, "components.cards.0.id", "J9", ""),
    (0, "components.cards", lambda cards: cards[1:], "cards: expected exactly 60"),
    (0, "setup", None, "setup: piles: expected lists"),
    (0, "setup.ring.0", "Pluto", "setup: ring[0]: unknown planet 'Pluto'"),
    (0, "setup.piles.0.0", "gold", "tiles: expected 48 point"),
    (0, "setup.draw_pile", lambda pile: [pile[1], *pile[1:]], "setup: cards: "),
    (CALM, "player", lambda player: (player + 1) % 3, "player: "),
    (CALM, "player", True, "player: True"),
    (CALM, "action", 89, "action 89 (discover) is illegal"),
    (CALM, "action", 101, "action 101: not in 0 to 100"),
    (CALM, "action", "0", "action '0': expected an integer"),
    (CALM, "action", float, "expected an integer"),
    (CALM, "action", lambda action: 1 if action == 0 else 0, "action: move"),
    (CALM, "legal", lambda legal: legal[1:], "action: legal: 0 is left out"),
    (CALM, "legal", lambda legal: [*legal, 100], "legal: 100 is not legal"),
    (CALM, "legal", lambda legal: [*legal, legal[0]], "action: legal"),
    (CALM, "legal.1", True, "action: legal[1]: True, but the game gives 1"),
    (CALM, "legal", None, "action: legal: None"),
    (CALM, "type", "move", "expected an object whose type is one of game, action"),
    (CALM, "type", [], "expected an object whose type is one of game, action"),
    (JUMP, "move", "jump Nowhere J9", "action: move: 'jump Nowhere J9', but the game gives 'jump "),
    (TAKE, "move", {"kind": "take"}, "action: move: {'kind': 'take'}, but the game gives 'take "),
    (SHUFFLE, "draw_pile.0", "J9", "shuffle: draw_pile: "),
    (SHUFFLE, "draw_pile", lambda pile: pile[1:], "the discard pile has 1"),
    (SHUFFLE, "draw_pile", lambda pile: [*pile, pile[0]], "shuffle: draw_pile: 2"),
    (SHUFFLE, "draw_pile", None, "expected a list of card ids"),
    (LAST, "reason", "truncated", "result: reason: 'truncated', but the game"),
    (LAST, "rounds", lambda n: n + 1, "result: rounds"),
    (LAST, "scores.1.gate", lambda n: n + 1, "result: scores[1].gate"),
    (LAST, "scores.1.gate", float, "result: scores[1].gate"),
    (LAST, "scores", lambda scores: scores[1:], "result: scores"),
    (LAST, "winners", [0, 1, 2], "result: winners"),
]
# Alteration, line in the message (0: any later line), part of the message.
ALTERED: list[tuple[Alter, int, str]] = [
    *(
        (put(i, *(int(k) if k.isdigit() else k for k in keys.split(".")), to=to), i + 1, reason)
        for i, keys, to, reason in IN_A_LINE
    ),
    (the_other_start, 1, "setup: start_player:"),
    (put(0, "rules", "empty_top_up", to=False), 0, "action: legal: 0 is not legal here"),
    (put(0, "rules", "chips_per_player", to=1), 0, "action: legal: "),
    (put(0, "setup", "start_player", to=lambda seat: (seat + 1) % 3), 2, "player: "),
    (put(0, "setup", "ring", to=two_swapped), 0, ""),
    (put(SHUFFLE, "draw_pile", to=lambda pile: pile[::-1]), 0, ""),
    (drop(0, "seed"), 1, "seed: expected an integer"),
    (drop(0, "agents"), 1, "agents: expected a list of 3 names"),
    (drop(0, "components"), 1, "components: expected an object"),
    (drop(CALM, "player"), CALM + 1, "player: None"),
    (drop(CALM, "move"), CALM + 1, "action: move: is missing"),
    (drop(LAST, "scores", 0, "total"), LAST + 1, "scores[0].total: is missing"),
    (add(0, "extra"), 1, "'extra' is not an entry of format 2"),
    (add(CALM, "note"), CALM + 1, "'note' is not an entry of format 2"),
    (add(SHUFFLE, "seed"), SHUFFLE + 1, "'seed' is not an entry of format 2"),
    (without(0), 1, "action: a game has to begin with its game line"),
    (without(CALM), CALM + 1, ""),
    (without(SHUFFLE), SHUFFLE + 1, f"expected the shuffle that line {SHUFFLE} caused"),
    (twice(LAST - 1), LAST + 1, "action: the game is over, a result line is due"),
    (twice(SHUFFLE), SHUFFLE + 2, "shuffle: the draw pile was not formed anew here"),
    (lambda lines: lines.insert(1, lines[SHUFFLE]), 2, "was not formed anew here"),
    (lambda lines: lines.__delitem__(slice(5, LAST)), 6, "result: the game is not over"),
    (lambda lines: lines.append(lines[1]), LAST + 2, "action: the game ended with its result"),
]


@pytest.mark.parametrize(("alter", "line", "reason"), ALTERED)
def test_an_altered_record_is_refused_by_its_line(alter: Alter, line: int, reason: str, file: Path) -> None:
    lines = json.loads(json.dumps(BASE))
    alter(lines)
    file.write_text(text_of(lines), "utf-8")
    with pytest.raises(RecordError) as refused:
        list(replay_file(file))
    message = str(refused.value)
    found = re.fullmatch(re.escape(str(file)) + r": line (\d+): (.+)", message)
    assert found, message
    assert line in (0, int(found[1])), message
    assert reason in found[2], message


def test_an_option_that_is_newer_than_the_record_has_its_default(file: Path) -> None:
    lines = json.loads(json.dumps(BASE))
    file.write_text(text_of(lines), "utf-8")
    whole = written_again(file)
    drop(0, "rules", "scan_face_up")(lines)
    file.write_text(text_of(lines), "utf-8")
    assert written_again(file) == whole


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
def test_a_line_that_is_not_json_is_refused(raw: bytes, reason: str, file: Path) -> None:
    head = (write_line(BASE[0]) + "\n").encode()
    file.write_bytes(head + raw + (write_line(BASE[1]) + "\n").encode())
    with pytest.raises(RecordError, match=rf"line 2: {reason}"):
        list(replay_file(file))


# ---------------------------------------------------------------- cut records


def test_a_record_without_a_result_replays_and_says_so(file: Path) -> None:
    for count in (1, 2, CALM, SHUFFLE - 1, SHUFFLE + 1, LAST):
        file.write_text(text_of(BASE[:count]), "utf-8")
        (replayed,) = replay_file(file)
        actions = sum(line["type"] == "action" for line in BASE[:count])
        assert replayed.actions == actions
        assert replayed.cut == f"cut short after {actions} actions: no result line"
        assert replayed.result is None


def test_a_last_line_cut_anywhere_is_left_out(file: Path) -> None:
    whole, last = text_of(BASE[:4]), write_line(BASE[4])
    for length in range(0, len(last), 7):
        file.write_text(whole + last[:length], "utf-8")
        (replayed,) = replay_file(file)
        assert replayed.actions == 3
        assert replayed.cut
    file.write_text(whole + last, "utf-8")  # only the line end is missing
    (replayed,) = replay_file(file)
    assert replayed.actions == 4


def test_a_record_cut_before_a_shuffle_stops_before_the_move_that_caused_it(file: Path) -> None:
    whole = text_of(BASE[:SHUFFLE])
    for text in (whole, whole + write_line(BASE[SHUFFLE])[:40], whole + text_of(BASE)):
        file.write_text(text, "utf-8")
        replayed = next(replay_file(file))
        replayed.finish()
        assert replayed.actions == SHUFFLE - 2
        assert replayed.cut == f"cut short after {SHUFFLE - 2} actions: no shuffle for line {SHUFFLE}"
        assert replayed.game.states[0].shuffles == 0


def test_a_game_can_be_read_on_after_its_file_object_is_dropped(file: Path) -> None:
    file.write_text(text_of(BASE), "utf-8")
    replayed = next(replay_file(file))
    gc.collect()
    replayed.finish()
    assert replayed.result == BASE[LAST]


def test_games_after_a_cut_one_and_a_cut_header_at_the_end(file: Path) -> None:
    file.write_text(text_of(BASE[:5]) + text_of(BASE) + write_line(BASE[0])[:99], "utf-8")
    records = replay_file(file)
    first, second = records
    assert first.cut == "cut short after 4 actions: no result line"
    assert second.cut is None
    assert (first.line, second.line, second.number) == (1, 6, 2)
    assert records.note == f"line {len(BASE) + 6} is cut short: a game not begun"
    assert records.offset == records.size


def test_what_is_left_of_a_game_is_checked_before_the_next(file: Path) -> None:
    lines = json.loads(json.dumps(BASE))
    lines[LAST]["winners"] = []
    file.write_text(text_of(lines) + text_of(BASE), "utf-8")
    records = replay_file(file)
    next(records)
    with pytest.raises(RecordError, match=f"line {LAST + 1}: result: winners"):
        next(records)


def test_the_one_game_that_is_asked_for_is_checked_to_its_end(file: Path) -> None:
    lines = json.loads(json.dumps(BASE))
    lines[LAST]["winners"] = []
    file.write_text(text_of(BASE) + text_of(lines), "utf-8")
    assert len(list(replay_file(file, game=1))) == 1
    with pytest.raises(RecordError, match=f"line {2 * len(BASE)}: result: winners"):
        list(replay_file(file, game=2))


@pytest.mark.parametrize("content", ["", '{"type": "ga'])
def test_a_file_without_a_game_is_refused(content: str, file: Path, tmp_path: Path) -> None:
    file.write_text(content, "utf-8")
    with pytest.raises(RecordError, match="no game record in it"):
        list(replay_file(file))
    with pytest.raises(RecordError, match="No such file"):
        replay_file(tmp_path / "missing.jsonl")


# ---------------------------------------------------------------- the writer


def test_files_are_replaced_by_the_first_game(file: Path) -> None:
    record = played(2, Rules(max_rounds=4))
    file.write_text("old", "utf-8")
    RecordWriter(file).close()
    assert file.read_text("utf-8") == "old"
    with RecordWriter(str(file)) as writer:
        writer.add(record)
        writer.add(record)
    assert file.read_text("utf-8") == record.text() * 2


def test_an_unwritable_path_is_refused_and_leaves_nothing(file: Path, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "games.jsonl", "/dev/null"):
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


def test_records_begin_at_the_beginning_and_end_at_the_end() -> None:
    game = Game(2)
    with pytest.raises(RecordError, match="just reset"):
        GameRecord(game, ["a", "b"])
    game.reset(seed=1)
    with pytest.raises(RecordError, match="expected a list of 2 names"):
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
