"""Probes: positions are consistent, right moves are the best, scores are correct."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from spacemission_agents import probing
from spacemission_agents.games.space_mission.probes import build_position, load_probes
from spacemission_agents.probing import Answers, Probe, ProbeError, ask_all, of_theme, summary
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.errors import AgentError
from spacemission_env.games.space_mission.consistency import inconsistency
from tests.support import command_line
from tests.support.probe_values import MARGIN, WIN, in_last_turn, played_on, searched

pytestmark = pytest.mark.slow

PROBES = load_probes()
LAST_TURN = [probe for probe in PROBES if in_last_turn(probe)]
OTHERS = [probe for probe in PROBES if not in_last_turn(probe)]


def name_of(probe: Probe) -> str:
    return probe.id


def run(*arguments: str, status: int = 0) -> Result:
    return command_line.run("probe", *arguments, status=status)


# ---------------------------------------------------------------- the probes themselves


def test_there_are_enough_of_each_theme() -> None:
    assert len(PROBES) >= 36
    assert len({probe.id for probe in PROBES}) == len(PROBES)
    assert [probe.number for probe in PROBES] == list(range(len(PROBES)))
    themes = probing.themes_of(PROBES)
    assert len(themes) >= 8 and all(len(of_theme(PROBES, theme)) >= 3 for theme in themes)
    assert {probe.game.num_players for probe in PROBES} == {2, 3, 4, 5}


@pytest.mark.parametrize("probe", PROBES, ids=name_of)
def test_a_probe_is_a_position_of_a_game(probe: Probe) -> None:
    game = probe.game
    assert inconsistency(game.states[0], game.t, game.num_players) is None
    legal = game.legal_actions()
    assert set(probe.right) < set(legal)
    assert len(probe.right) / len(legal) < 1 / 3
    assert probe.why.endswith(".") and 40 < len(probe.why) < 200
    seat = int(game.states[0].player)
    for seed in range(5):
        world = game.determinize(seat, seed)
        assert inconsistency(world.states[0], world.t, world.num_players) is None
        assert world.information_state_key(seat) == game.information_state_key(seat)


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


class Knowing(Agent):
    """Plays a right and a wrong move in turn."""

    asked = 0

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        self.asked += 1
        probe = PROBES[0]
        wrong = [a for a in probe.game.legal_actions() if a not in probe.right]
        return probe.right[0] if self.asked % 2 else wrong[0]


def test_the_score_is_the_share_of_right_answers() -> None:
    (one,) = ask_all(Knowing(), PROBES[:1], repeat=8)
    assert one.score == 0.5
    assert summary([one, Answers(PROBES[-1], PROBES[-1].right[:1])]) == {
        "score": 0.75,
        "probes": 2,
        "themes": [
            {"theme": PROBES[0].theme, "score": 0.5, "probes": 1},
            {"theme": PROBES[-1].theme, "score": 1.0, "probes": 1},
        ],
    }


def test_the_same_seed_gives_the_same_answers_and_a_theme_its_own_part() -> None:
    whole = ask_all("random", PROBES, seed=3)
    assert [a.actions for a in whole] == [a.actions for a in ask_all("random", PROBES, seed=3)]
    assert [a.actions for a in whole] != [a.actions for a in ask_all("random", PROBES, seed=4)]
    gate = of_theme(PROBES, "gate")
    assert [a.actions for a in ask_all("random", gate, seed=3)] == [
        a.actions for a in whole if a.probe.theme == "gate"
    ]
    keys = [key for probe in PROBES for key in probing.keys_of(probe, 0, 8)]
    assert len(set(keys)) == len(keys)


def test_asking_leaves_the_probe_as_it_was() -> None:
    before = [probe.game.states.tobytes() for probe in PROBES]
    ask_all("greedy", PROBES, repeat=1)
    assert before == [probe.game.states.tobytes() for probe in PROBES]


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
    assert [one["id"] for one in answers] == [probe.id for probe in of_theme(PROBES, "chips")]


def test_bad_names_get_one_line() -> None:
    assert "agent 'nobody': unknown" in run("nobody", status=1).stderr
    assert "theme 'moons': unknown; known: cards, " in run("random", "--theme", "moons", status=1).stderr
    assert "none.toml" in run("random", "--file", "none.toml", status=1).stderr
    run("random", "--repeat", "0", status=2)


# ---------------------------------------------------------------- probe files

GOOD = """
format = 1
theme = "gate"
[common]
start = 1
[[probe]]
id = "first-jump"
why = "Nothing but a jump leads off the gate."
right = [{ kind = "jump" }]
[probe.position]
hand = "J1S1 J2S2 S1L1"
round = 2
gate = [0, 1]
ships = ["", "Hazard"]
[probe.position.planets]
Hazard = { taken = "1:water" }
"""


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GOOD)
    (probe,) = load_probes([file])
    assert len(probe.right) == 6
    assert {probe.game.move(action)["kind"] for action in probe.right} == {"jump"}
    assert json.loads(run("random", "--file", str(file), "--json").stdout)["probes"] == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 1", "format = 2", "format: 2 is not known"),
        ("format = 1", "format = ", "not TOML"),
        ('theme = "gate"', "", "theme: is missing"),
        ("[[probe]]", "[[probes]]", "probes: unknown field"),
        ('id = "first-jump"', "id = 3", "probe 3: id: expected str"),
        ('why = "Nothing', 'why_not = "Nothing', "probe 'first-jump': why_not: unknown field"),
        ('kind = "jump"', 'kind = "leap"', "right[0]: not a move: {'kind': 'leap'}"),
        ('kind = "jump"', 'kind = "jump", tile = "water"', "right[0]: not a move"),
        ('kind = "jump"', 'kind = "scan"', "right[0]: no legal move is {'kind': 'scan'}"),
        ('kind = "jump" }', 'kind = "jump" }, { kind = "top_up" }', "right: every legal move would be right"),
        ("J1S1 J2S2", "J1S1 J9S2", "hand: unknown card 'J9S2'"),
        ("J1S1 J2S2", "J1S1*2", "hand: 'J1S1*2 S1L1': more cards than there are"),
        ("Hazard = {", "Pluto = {", "planets: unknown planet 'Pluto'"),
        ("1:water", "1:gold", "planets.Hazard.taken: unknown tile 'gold'"),
        ("1:water", "7:water", "planets.Hazard.taken: '7:water': expected seat:tile"),
        ("1:water", "1:water*999999999999", "expected a number from 1 to 60 after '*'"),
        ("1:water", "1:water*9", "planets.Hazard.taken: more than 8 tiles"),
        ("1:water", "1:alien_brown*6", "planets: more alien_brown tiles than there are"),
        ("taken =", "pile =", "planets.Hazard.pile: unknown tile '1:water'"),
        ("gate = [0, 1]", "gate = [0]", "gate: expected 2 entries"),
        ("gate = [0, 1]", "gate = [0, 0]", "gate: seat 1 has left the gate without a probe"),
        ("gate = [0, 1]", "gate = [0, 25]", "gate: seat 1 would have 26 chips"),
        ("round = 2", "round = 1", None),
        ("round = 2", "round = 200", "round: expected 1 to 100, not 200"),
        ("round = 2", 'round = "2"', "round: expected a whole number, not '2'"),
        ("round = 2", "actions_left = 3", "actions_left: expected 0 to 2"),
        ("round = 2", "actions_left = 0", "actions_left does not hold"),
        ("round = 2", 'phase = "reserve"', "phase: there is no reserve pick where the ship is"),
        ("round = 2", "moon = 2", "moon: unknown field"),
        ("gate = [0, 1]", "gate = [0, 2]", None),
        ("gate = [0, 1]", "gate = [0, 4]", "round: seat 1 has done 5 actions"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, old: str, new: str, message: str | None) -> None:
    file = tmp_path / "mine.toml"
    assert GOOD.count(old) == 1
    file.write_text(GOOD.replace(old, new))
    if message is None:
        load_probes([file])
        return
    line = run("random", "--file", str(file), status=1).stderr
    assert "mine.toml: " in line
    assert message in line
    if old not in ("format = 1", 'theme = "gate"', "[[probe]]"):
        assert "mine.toml: probe " in line


def test_an_id_stands_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GOOD)
    with pytest.raises(ProbeError, match="probe 'first-jump': id: is used twice"):
        load_probes([file, file])


def test_what_is_not_named_is_dealt_from_the_seed() -> None:
    table = {"hand": "J1S1 J2S2"}
    one, same, other = (build_position({**table, "seed": seed}) for seed in (1, 1, 2))
    assert one.states.tobytes() == same.states.tobytes()
    assert (one.states[0].pile != other.states[0].pile).any()
    assert one.information_state_key(0)
