"""`spacemission play --human`: people at a terminal."""

import json
import re
from pathlib import Path

import pytest

from spacemission_env.core.reading import Json
from spacemission_env.records.reader import replay_file
from tests.support.command_line import run, run_in_process

GAMES = ["space_mission", "kuhn_poker", "planet_hexx"]
SHORT = ("--rules", "printed,max_rounds=3")


def typed(*arguments: str, keys: str, status: int = 0) -> str:
    from spacemission_env import cli

    done = run_in_process.invoke(cli.app, ["play", *arguments], input=keys)
    assert done.exit_code == status, done.output + repr(done.exception)
    return done.output


def lines_of(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_a_person_who_plays_as_an_agent_does_gives_its_record(tmp_path: Path) -> None:
    """A person who types the moves of `greedy` gets the same record."""
    by_agents, by_hand = tmp_path / "agents.jsonl", tmp_path / "hand.jsonl"
    run("play", "--agents", "greedy,greedy", "--seed", "5", "--record", str(by_agents), *SHORT)
    expected = lines_of(by_agents)
    own = [entry for entry in expected if entry.get("player") == 0]
    keys = "".join(f"{entry['legal'].index(entry['action']) + 1}\n" for entry in own)
    shown = typed("--agents", "Anna=human,greedy", "--seed", "5", "--record", str(by_hand), *SHORT, keys=keys)
    found = lines_of(by_hand)
    assert found[0].pop("agents") == ["Anna", "greedy"]
    del expected[0]["agents"]
    assert found == expected
    assert shown.count("your move") == len(own) > 5
    assert "The game is truncated after 3 rounds." in shown
    assert run("replay", str(by_hand), "--check").stdout.startswith("1 game,")


@pytest.mark.parametrize("game", GAMES)
def test_stopping_keeps_what_was_played(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--human` asks for everything; Enter takes the default; the record is written when the person stops."""
    monkeypatch.chdir(tmp_path)
    for end in ("q\n", ""):  # the end of the input is as good
        shown = typed("--human", "--game", game, keys="\n\n\n" + end)
        assert "Stopped. The game is in" in shown
        assert "against you" in shown
    files = sorted(tmp_path.glob(f"{game}_*.jsonl"))
    assert len(files) == 2
    assert files[0].read_text("utf-8") != files[1].read_text("utf-8")  # different deals
    for file in files:
        replayed = next(replay_file(file))
        replayed.finish()
        assert "human" in replayed.agents
        assert replayed.cut


def test_two_games_from_one_seed_are_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        typed("--agents", "human,random", "--seed", "3", keys="q\n")
    assert sorted(file.name for file in tmp_path.glob("*")) == [
        "space_mission_3.jsonl",
        "space_mission_3_2.jsonl",
    ]


def test_moves_are_narrowed_down_and_explained(tmp_path: Path) -> None:
    file = str(tmp_path / "g.jsonl")
    keys = "?\ntops 1\nnothing at all\n999\nb\nl\njumps\n33\nq\n"
    shown = typed("--agents", "human,random", "--seed", "1", "--record", file, keys=keys)
    answers = re.split(r"player_0, your move \(.*\): .*\n", shown)
    first, help_text, narrowed, none, no_number, table, log, jumps, _ = answers[:9]
    assert re.search(r"^\d+ more begin with 'tops'", first, re.MULTILINE)
    assert "32) tops up" not in first
    assert "q        stop" in help_text
    listed = narrowed.splitlines()
    assert len(listed) > 5
    assert all("tops up" in line and "1" in line for line in listed)
    assert none.startswith("No move has 'nothing at all' in it.")
    assert no_number.startswith("There is no move 999")
    assert "Your hand:" in table
    assert log.strip()
    assert all("jumps to" in line for line in jumps.splitlines())
    move = lines_of(Path(file))[-1]["move"]  # the number means the same move in every list
    assert move.startswith("jump ")
    picked = next(line for line in jumps.splitlines() if line.lstrip().startswith("33) "))
    assert move.split()[1] in picked


def test_the_others_moves_are_told_without_what_they_hide(tmp_path: Path) -> None:
    file = str(tmp_path / "g.jsonl")
    shown = typed("--agents", "human,greedy", "--seed", "2", "--record", file, keys="1\n" * 20 + "q\n")
    assert "player_1 reserves a tile" in shown
    kinds = {"space", "data", "matter", "water", "life"}
    assert not re.findall(rf"player_1 (?:reserves|takes) (?:{'|'.join(kinds)})", shown)
    assert any(e.get("player") == 1 and e["move"].startswith("take ") for e in lines_of(Path(file)))


def test_two_people_take_turns_and_each_sees_the_own_hand(tmp_path: Path) -> None:
    keys = "\n1\n" * 6 + "q\n"
    shown = typed(
        "--game", "kuhn_poker", "--agents", "Anna=human,Ben=human", "--seed", "4",
        "--record", str(tmp_path / "g.jsonl"), keys=keys,
    )  # fmt: skip
    parts = re.split(r"player_\d \(\w+\) is next: press Enter when you are there", shown)[1:]
    held = [set(re.findall(r"You are (player_\d) and hold", part)) for part in parts]
    assert all(len(seats) == 1 for seats in held)
    assert {seat for seats in held for seat in seats} == {"player_0", "player_1"}
    assert "The game is finished" in shown


def test_one_person_sees_the_table_at_the_end(tmp_path: Path) -> None:
    """With the other's last move."""
    shown = typed(
        "--game", "kuhn_poker", "--agents", "human,random", "--seed", "4",
        "--record", str(tmp_path / "g.jsonl"), keys="1\n" * 4,
    )  # fmt: skip
    end = shown[: shown.index("The game is finished")].rpartition("You are player_0 and hold")[2]
    assert "player_1: 1 in the pot; passed" in end


def test_seats_are_chosen(tmp_path: Path) -> None:
    shown = typed("--human", "--record", str(tmp_path / "g"), keys="3\nrandom\n1, 2\nq\n")
    assert "player_0 random, player_1 human, player_2 human" in shown


@pytest.mark.parametrize(
    ("arguments", "keys", "said"),
    [
        (("--human", "--games", "2"), "", "--games: not possible with people"),
        (("--agents", "human,greedy", "--json"), "", "--json: not possible with people"),
        (("--human",), "7\n", "num_players: expected 2 to 5, not 7"),
        (("--human",), "two\n", "players: expected a number, not 'two'"),
        (("--human",), "2\nnobody\n0\n", "agent 'nobody': unknown"),
        (("--human", "--agents", "random,random"), "2\n", "seats: expected 0 to 1, not 2"),
        (("--agents", "human"), "", "agents: expected 2 to 5, one per seat, got 1"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], keys: str, said: str) -> None:
    shown = typed(*arguments, keys=keys, status=1)
    assert said in shown.splitlines()[-1]


def test_somebody_has_to_play() -> None:
    assert "--human" in typed(keys="", status=2)


def test_an_agent_that_fails_leaves_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "g.jsonl"
    (tmp_path / "wrong_bot.py").write_text(
        "from spacemission_env import Agent\n"
        "class Bot(Agent):\n"
        "    def choose(self, observation, mask, rng):\n"
        "        return int((1 - mask).argmax())\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    shown = typed("--agents", "human,wrong_bot:Bot", "--record", str(file), keys="1\n" * 9, status=1)
    assert "agent 'wrong_bot:Bot': player_1: action" in shown
    assert lines_of(file)[0]["type"] == "game"
