"""Probes: positions have all pieces, right moves are the best, scores are correct."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from spacemission_agents.probing import Probe, ProbeError, ask_all, load_probes, of_theme, summary
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game import Game, make_game
from spacemission_env.records.writer import GameRecord
from tests.support import command_line
from tests.support.pieces import missing_pieces
from tests.support.probe_values import MARGIN, WIN, in_last_turn, played_on, searched, state_toml

pytestmark = pytest.mark.slow

PROBES = load_probes()
LAST_TURN = [probe for probe in PROBES if in_last_turn(probe)]
OTHERS = [probe for probe in PROBES if not in_last_turn(probe)]
HEXX = load_probes("planet_hexx")
OWN_FILES = "".join(
    files(f"spacemission_agents.games.{name}").joinpath("data/probes.toml").read_text()
    for name in ("space_mission", "planet_hexx")
)


def name_of(probe: Probe) -> str:
    return probe.id


def run(*arguments: str, status: int = 0) -> Result:
    return command_line.run("probe", *arguments, status=status)


# ---------------------------------------------------------------- the probes themselves


def test_there_are_enough_of_each_theme() -> None:
    assert len(PROBES) >= 36 and [probe.number for probe in PROBES] == list(range(len(PROBES)))
    themes = {probe.theme for probe in PROBES}
    assert len(themes) >= 8 and all(len(of_theme(PROBES, theme)) >= 3 for theme in themes)
    assert {probe.game.num_players for probe in PROBES} == {2, 3, 4, 5}
    assert len(HEXX) >= 3 and len({probe.theme for probe in HEXX}) > 1


@pytest.mark.parametrize("probe", PROBES + HEXX, ids=name_of)
def test_a_probe_is_a_position_of_a_game(probe: Probe) -> None:
    game = probe.game
    legal = game.legal_actions()
    assert set(probe.right) < set(legal) and len(probe.right) <= len(legal) / 2
    assert state_toml(game) in OWN_FILES
    assert probe.why.endswith(".") and 40 < len(probe.why) < 200
    for seed in range(5):
        world = game.determinize(game.player, seed)
        assert missing_pieces(world) is None
        assert world.information_state_key(game.player) == game.information_state_key(game.player)


@pytest.mark.parametrize("probe", LAST_TURN, ids=name_of)
def test_the_right_moves_of_a_last_turn_are_the_best(probe: Probe) -> None:
    for measure, least in ((MARGIN, 1.5), (WIN, 0.04)):
        values = searched(probe, measure)
        right = min(values[action] for action in probe.right)
        wrong = max(value for action, value in values.items() if action not in probe.right)
        assert right >= wrong + least, (measure, right, wrong)


@pytest.mark.parametrize("probe", OTHERS, ids=name_of)
def test_the_right_moves_elsewhere_are_the_best_where_greedy_plays_on(probe: Probe) -> None:
    values = played_on(probe)
    right = min(values[action] for action in probe.right)
    assert right >= 1 + max(value for action, value in values.items() if action not in probe.right)


# ---------------------------------------------------------------- asking


def test_random_finds_few_and_greedy_many_but_not_all() -> None:
    random = summary(ask_all("random", PROBES, repeat=60))["score"]
    by_chance = np.mean([len(probe.right) / len(probe.game.legal_actions()) for probe in PROBES])
    assert random == pytest.approx(by_chance, abs=0.02)
    assert random <= 0.2
    greedy = summary(ask_all("greedy", PROBES, repeat=1))["score"]
    assert random + 0.3 < greedy < 0.95
    assert summary(ask_all("heuristic", PROBES, repeat=1))["score"] >= 0.95


def test_agents_of_planet_hexx_find_the_moves_and_chance_does_not() -> None:
    assert summary(ask_all("heuristic", HEXX, repeat=1))["score"] == 1
    assert summary(ask_all("policy:default", HEXX, repeat=1))["score"] >= 0.85
    assert summary(ask_all("random", HEXX, repeat=40))["score"] < 0.4


def test_the_same_seed_gives_the_same_answers_and_a_theme_its_own_part() -> None:
    whole = ask_all("random", PROBES, seed=3)
    assert [a.actions for a in whole] == [a.actions for a in ask_all("random", PROBES, seed=3)]
    assert [a.actions for a in whole] != [a.actions for a in ask_all("random", PROBES, seed=4)]
    gate = of_theme(PROBES, "gate")
    assert [a.actions for a in ask_all("random", gate, seed=3)] == [
        a.actions for a in whole if a.probe.theme == "gate"
    ]


class Illegal(Agent):
    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.masks.argmin(1)


def test_an_illegal_answer_is_refused() -> None:
    with pytest.raises(
        AgentError, match=f"agent 'Illegal': probe '{PROBES[0].id}': player_0: action .* is illegal"
    ):
        ask_all(Illegal(), PROBES[:1])


# ---------------------------------------------------------------- the command


def test_the_command_prints_scores_by_theme() -> None:
    report = json.loads(run("random", "--json", "--seed", "5", "--repeat", "3").stdout)
    expected = summary(ask_all("random", PROBES, 5, 3))
    assert report == {"agent": "random", "seed": 5, "repeat": 3, **expected}
    shown = run("random", "--theme", "sets", "--show", "--repeat", "2").stdout
    assert all(probe.id in shown and probe.why in shown for probe in of_theme(PROBES, "sets"))
    assert "played: " in shown and PROBES[0].id not in shown
    answers = json.loads(run("greedy", "--theme", "chips", "--show", "--json").stdout)["answers"]
    assert [one["right"] for one in answers] == [list(probe.right) for probe in of_theme(PROBES, "chips")]
    assert "of 8 probes right" in run("heuristic", "--game", "planet_hexx", "--repeat", "1").stdout


# ---------------------------------------------------------------- probe files


def one_of_ones_own(name: str, folder: Path) -> tuple[Path, Game]:
    """The file of a probe in a recorded random game, and its position."""
    game, rng = make_game(name, 2, None if name == "kuhn_poker" else "tiny"), np.random.default_rng(5)
    game.reset(3)
    record, after = GameRecord(game, ["a", "b"]), 1 if name == "kuhn_poker" else 3
    while not game.over:
        if game.states[0].decisions == after:
            position = game.clone()
        action = int(rng.choice(game.legal_actions()))
        record.before(action)
        game.step(action)
    record.finish()
    (folder / "games.jsonl").write_text(record.text())
    right = position.move_text(position.legal_actions()[0])
    file = folder / "mine.toml"
    file.write_text(
        f'format = 4\n[[probe]]\nid = "mine"\ntheme = "own"\nwhy = "The first move is right here."\n'
        f'right = ["{right}"]\nrecord = "games.jsonl"\ngame = 1\nafter = {after}\n'
    )
    return file, position


@pytest.mark.parametrize("game", ["space_mission", "planet_hexx", "kuhn_poker"])
def test_a_position_of_a_record_is_a_probe(game: str, tmp_path: Path) -> None:
    file, position = one_of_ones_own(game, tmp_path)
    (probe,) = load_probes(game, [file])
    assert probe.game.open_board() == position.open_board()
    assert probe.game.rules == position.rules
    assert probe.right == (position.legal_actions()[0],)
    assert json.loads(run("random", "--game", game, "--file", str(file), "--json").stdout)["probes"] == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 4", "format = 3", "expected format = 4"),
        ("format = 4", "format = ", "not TOML"),
        ("[[probe]]", "[[probes]]", r"expected format = 4 and tables \[\[probe\]\]"),
        ('theme = "own"', "", "probe 'mine': expected a table of id, theme, "),
        ('id = "mine"', "id = 3", "probe 3: id: expected str, not 3"),
        ('right = ["', 'right = ["no_', "probe 'mine': right: no legal move is 'no_"),
        ('right = ["', 'right = [3, "', "probe 'mine': right: not a move: 3"),
        (
            'record = "games.jsonl"',
            "players = 2\nseed = 1\nstate = {}",
            "expected a table of .*, record, game",
        ),
        ("games.jsonl", "none.jsonl", r"probe 'mine': .*none.jsonl: No such file"),
        ("games.jsonl", "mine.toml", r"probe 'mine': .*mine.toml: line 1: not JSON"),
        ("games.jsonl", "kuhn.jsonl", "expected a game of Space Mission, not of Kuhn poker"),
        ("game = 1", "game = 2", "there is no game 2, the file has 1"),
        ("after = 3", "after = -1", "after: -1: no move follows, the game has "),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    one_of_ones_own("kuhn_poker", tmp_path)
    (tmp_path / "games.jsonl").rename(tmp_path / "kuhn.jsonl")
    file, _ = one_of_ones_own("space_mission", tmp_path)
    good = file.read_text()
    assert good.count(old) == 1
    file.write_text(good.replace(old, new))
    with pytest.raises(ProbeError, match=message) as refused:
        load_probes("space_mission", [file])
    assert str(refused.value).startswith(str(file)) and "\n" not in str(refused.value)


def test_an_id_stands_once(tmp_path: Path) -> None:
    file, _ = one_of_ones_own("kuhn_poker", tmp_path)
    with pytest.raises(ProbeError, match="probe 'mine': id: is used twice"):
        load_probes("kuhn_poker", [file, file])
