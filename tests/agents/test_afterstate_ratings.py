"""Tests the ratings by `heuristic` in the features of input `afterstate_rated`."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.afterstates.network import INPUT, RATED_INPUT
from spacemission_agents.games.space_mission.heuristic import weights as heuristic_weights
from spacemission_agents.games.space_mission.value import features as ratings
from spacemission_agents.games.space_mission.value.afterstates import new_network
from spacemission_agents.games.space_mission.value.features import RATINGS
from spacemission_agents.models.folder import load_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.errors import AgentError
from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules
from tests.support.afterstates import FORM, judged, positions, random_arrays, random_model, random_network
from tests.support.random_components import random_box
from tests.support.random_play import EVERYTHING

pytestmark = pytest.mark.slow

RATED_FORM = {**FORM, "input": RATED_INPUT}
LEFT_OUT = -1e8  # ratings below this mean that a move has no rating
CASES: list[tuple[str, Rules, int | None]] = [
    ("printed", PRESETS["printed"], None),
    ("yucata", PRESETS["yucata"], None),
    ("everything", EVERYTHING, None),
    ("chips", Rules(chips_per_player=60, hand_size=4, empty_top_up=False, space_tiles_to_end=16), 4),
    ("another", Rules(space_tile_penalty=True, scan_face_up=True, actions_per_turn=4), 8),
]


def nearest(value: float) -> int:
    """The nearest byte."""
    return min(255, math.floor(value + 0.5))


def expected_features(points: dict[int, float]) -> dict[int, list[float]]:
    """The features of each move from its rating in points."""
    rated = sorted(value for value in points.values() if value > LEFT_OUT)
    expected = {}
    for action, value in points.items():
        if value <= LEFT_OUT:
            expected[action] = [0, 0, 0, 1, 0, 0, 0, 0]
            continue
        loss = rated[-1] - value
        ahead = rated[-1] - rated[-2] if loss == 0 and len(rated) > 1 else 0.0
        expected[action] = [nearest(8 * loss), nearest(32 * loss), loss == 0, 0, nearest(8 * ahead), 0, 0, 0]
    return expected


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize(("name", "rules", "box"), CASES, ids=[case[0] for case in CASES])
def test_they_are_those_that_heuristic_gives(name: str, rules: Rules, box: int | None, players: int) -> None:
    network, heuristic, row = random_network(1, RATED_FORM), make_agent("heuristic"), np.zeros(1, np.int64)
    seen: Counter[str] = Counter()
    of = None if box is None else random_box(box)
    for game in positions(players, rules, 40 + players, every=3, box=of):
        values = heuristic.rate(game.ask().part(heuristic, row))[0]
        actions, features, _ = judged(game, network)
        assert actions == game.legal_actions()
        expected = expected_features({action: float(values[action]) for action in actions})
        for action, found in zip(actions, features[:, RATINGS:], strict=True):
            assert found.tolist() == expected[action], (action, kind_of(action))
            seen[kind_of(action)] += 1
            seen["unrated"] += int(found[ratings.UNRATED])
            seen["ahead"] += found[ratings.AHEAD] > 0
        assert features[:, RATINGS + ratings.BEST].any()
        chosen = act_alone(heuristic, game.ask())[0]
        seen["chosen"] += int(features[actions.index(chosen), RATINGS + ratings.BEST])
        seen["decisions"] += 1
    assert min(seen[what] for what in ("top_up", "fly", "take", "unrated", "ahead")) > 0, seen
    assert seen["chosen"] > 0.5 * seen["decisions"] > 5, "it plays others than those that it rates best"


def test_what_does_not_fit_into_a_byte_is_the_most_that_does() -> None:
    of, x = ratings.new_ratings(), np.zeros((3, ratings.RATED), np.uint8)
    of.values[:3] = 100.0, 92.0, 60.0
    of.best[:] = 100.0, 60.0
    for action in range(3):
        ratings.write_rating(action, of, x[action])
    assert x[:, : ratings.AHEAD + 1].tolist() == [[0, 0, 1, 0, 255], [64, 255, 0, 0, 0], [255, 255, 0, 0, 0]]


def test_two_best_moves_are_not_ahead_of_each_other_and_a_lone_one_of_none() -> None:
    of, x = ratings.new_ratings(), np.zeros((3, ratings.RATED), np.uint8)
    of.values[:3] = 7.0, 7.0, -1e9
    of.best[:] = 7.0, 7.0
    for action in range(3):
        ratings.write_rating(action, of, x[action])
    assert x[:, : ratings.AHEAD + 1].tolist() == [[0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]
    of.best[1], x[:] = ratings.NOT_RATED, 0
    ratings.write_rating(0, of, x[0])
    assert x[0].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]


def test_a_move_is_rated_alike_where_others_are_left_out() -> None:
    network, less = random_network(1, RATED_FORM), 0
    rng = np.random.default_rng(4)
    for game in positions(3, PRESETS["printed"], 21, every=3):
        actions, features, _ = judged(game, network)
        kept = [action for action in actions if action == actions[-1] or rng.random() < 0.4]
        mask = np.zeros_like(game.mask())
        mask[kept] = 1
        found, some, _ = judged(game, network, mask)
        assert found == kept
        assert (some == features[[actions.index(action) for action in kept]]).all()
        less += not some[:, RATINGS + ratings.BEST].any()
    assert less > 5, "the best has hardly ever been left out"


def test_they_count_for_a_value_that_reads_them_and_for_no_other() -> None:
    """All other features are equal; with zero weights for ratings, moves and logits are equal too."""
    arrays = random_arrays(5, RATED_FORM)
    rated = {name: 0 * arrays[name] for name in (f"{INPUT}.rating.weight", f"{INPUT}.residual.weight")}
    plain = {name: array for name, array in arrays.items() if name not in rated}
    networks = [new_network(of) for of in (plain, {**arrays, **rated}, arrays)]
    assert plain.keys() == random_arrays(5).keys() and [of.reads_ratings for of in networks] == [0, 1, 1]
    moved = 0
    for game in positions(3, PRESETS["printed"], 12, every=5):
        (_, without, logits), (_, features, same), (_, likewise, other) = (
            judged(game, of) for of in networks
        )
        assert not without[:, RATINGS:].any() and features[:, RATINGS:].any()
        assert (without[:, :RATINGS] == features[:, :RATINGS]).all() and (features == likewise).all()
        assert (logits == same).all()
        moved += logits.argmax() != other.argmax()
    assert moved > 5, "ratings hardly ever change a move"


# ------------------------------------------------------------ model folders


def test_a_folder_pins_the_weights_that_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, plain = random_model(tmp_path / "rated", form=RATED_FORM), random_model(tmp_path / "plain")
    digest = heuristic_weights.shipped_digest()
    assert load_model(folder)[0]["ratings_sha256"] == digest
    assert "ratings_sha256" not in load_model(plain)[0]
    other = heuristic_weights.make_weights({"plan": 0.5})
    monkeypatch.setattr(heuristic_weights, "shipped_weights", lambda num_players: other)
    with pytest.raises(AgentError, match="trained with other weights of 'heuristic'") as refused:
        make_agent(f"policy:{folder}")
    assert str(folder) in str(refused.value) and "\n" not in str(refused.value)
    assert make_agent(f"policy:{plain}").wants_worlds


@pytest.mark.parametrize("kind", [INPUT, RATED_INPUT])
def test_a_folder_has_the_tensors_of_its_input(tmp_path: Path, kind: str) -> None:
    folder = random_model(tmp_path / "model", form=RATED_FORM if kind == INPUT else FORM)
    path = folder / "card.json"
    card = json.loads(path.read_text("utf-8"))
    card["network"]["input"] = kind
    card.pop("ratings_sha256", None)
    if kind == RATED_INPUT:
        card["ratings_sha256"] = heuristic_weights.shipped_digest()
    path.write_text(json.dumps(card), "utf-8")
    with pytest.raises(AgentError, match=r"afterstate\.(rating|residual)\.weight"):
        make_agent(f"policy:{folder}")


CODE = """
import numpy as np
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.games.space_mission.game import Game
agent, row = PolicyAgent({folder!r}), np.zeros(1, np.int64)
for players in (2, 3):
    game = Game(players)
    game.reset(6)
    for n in range(30):
        asked = game.ask().part(agent, row)
        if n % 4 == 0:
            print(agent.logits(asked)[asked.masks > 0][:12].tolist())
        game.step(int(agent.act(asked)[0]))
"""


def test_the_same_is_read_without_the_jit(tmp_path: Path) -> None:
    code, said = CODE.format(folder=str(random_model(tmp_path / "model", form=RATED_FORM))), []
    for off in ("0", "1"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": off}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
        assert run.returncode == 0, run.stderr
        said.append([json.loads(line) for line in run.stdout.splitlines()])
    assert len(said[0]) == len(said[1]) > 10 and said[0][0] != said[0][1]
    for one, other in zip(*said, strict=True):
        assert one == pytest.approx(other, abs=1e-3)


def test_it_plays_a_game_to_its_end(tmp_path: Path) -> None:
    agent = PolicyAgent(str(random_model(tmp_path / "model", form=RATED_FORM)))
    game, row = Game(4, "printed,max_rounds=4"), np.zeros(1, np.int64)
    game.reset(3)
    while not game.over:
        best = agent.logits(game.ask().part(agent, row))[0]
        action = int(act_alone(agent, game.ask(key=9))[0])  # in another world
        assert action == best.argmax()
        game.step(action)
