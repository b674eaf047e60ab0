"""Probes: positions are consistent, right moves are the best, scores are correct."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from spacemission_agents.probing import Probe, ProbeError, ask_all, load_probes, of_theme, probe_toml, summary
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game import make_game
from tests.support import command_line
from tests.support.probe_values import MARGIN, WIN, in_last_turn, played_on, searched

pytestmark = pytest.mark.slow

PROBES = load_probes()
LAST_TURN = [probe for probe in PROBES if in_last_turn(probe)]
OTHERS = [probe for probe in PROBES if not in_last_turn(probe)]
HEXX = load_probes("planet_hexx")


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
    assert probe.why.endswith(".") and 40 < len(probe.why) < 200
    for seed in range(5):
        world = game.determinize(game.player, seed)
        assert game.spec.state_problem(world.states[0], world.t, world.num_players) is None
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


def one_of_ones_own(game: str) -> str:
    """The file of a probe of a position in a random game."""
    position, rng = make_game(game, 2), np.random.default_rng(5)
    position.reset(3)
    for _ in range(12 if game != "kuhn_poker" else 1):
        position.step(int(rng.choice(position.legal_actions())))
    right = [position.move_text(position.legal_actions()[0])]
    return "format = 3\n" + probe_toml(position, "mine", "own", "The first move is right here.", right)


@pytest.mark.parametrize("game", ["space_mission", "planet_hexx", "kuhn_poker"])
def test_a_position_of_ones_own_is_written_and_read(game: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(one_of_ones_own(game))
    (probe,) = load_probes(game, [file])
    assert probe.right == (probe.game.legal_actions()[0],)
    assert (
        probe_toml(probe.game, "mine", "own", probe.why, [probe.game.move_text(probe.right[0])])
        in file.read_text()
    )
    assert json.loads(run("random", "--game", game, "--file", str(file), "--json").stdout)["probes"] == 1
    position = make_game(game, 2)
    position.reset(3)  # nothing but the deal
    right = [position.move_text(position.legal_actions()[0])]
    file.write_text(
        "format = 3\n" + probe_toml(position, "deal", "own", "The first move is right here.", right)
    )
    assert (load_probes(game, [file])[0].game.states == position.states).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 3", "format = 2", "expected format = 3"),
        ("format = 3", "format = ", "not TOML"),
        ("[[probe]]", "[[probes]]", r"expected format = 3 and tables \[\[probe\]\]"),
        ('theme = "own"', "", "probe 'mine': expected a table of id, theme, "),
        ('id = "mine"', "id = 3", "probe 3: id: expected str, not 3"),
        ('right = ["', 'right = ["no_', "probe 'mine': right: no legal move is 'no_"),
        ('right = ["', 'right = [3, "', "probe 'mine': right: not a move: 3"),
        ("players = 2", "players = 9", "probe 'mine': num_players: expected 2 to 5, not 9"),
        ("ship = [", "shop = [", "probe 'mine': state: shop: unknown field"),
        ("ship = [", "ship = [0,", "probe 'mine': state: ship: shape or range is wrong"),
        ("ship = [", "ship = [1.5,", "probe 'mine': state: ship: expected whole numbers"),
        ("decisions = 12", "decisions = 40", "probe 'mine': world: decisions does not hold"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    file, good = tmp_path / "mine.toml", one_of_ones_own("space_mission")
    assert good.count(old) == 1
    file.write_text(good.replace(old, new))
    with pytest.raises(ProbeError, match=message) as refused:
        load_probes("space_mission", [file])
    assert str(refused.value).startswith(str(file)) and "\n" not in str(refused.value)


def test_an_id_stands_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(one_of_ones_own("space_mission"))
    with pytest.raises(ProbeError, match="probe 'mine': id: is used twice"):
        load_probes("space_mission", [file, file])
