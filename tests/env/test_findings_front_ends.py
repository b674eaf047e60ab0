"""What users stumbled over in the front ends and commands: each test would have found one of the findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_util import make_vec_env
from typer.testing import CliRunner

from spacemission_env import Game, cli
from spacemission_env.core.errors import AgentError, IllegalActionError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.frontends.gym_env import SteadyInfo
from spacemission_env.pictures import raster
from tests.support.paths import DOCS


def test_everyones_first_line_of_sb3_works(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make_vec_env("SpaceMission-v0", n_envs=2, seed=1)
    env.reset()
    masks = get_action_masks(env)
    assert masks.shape == (2, 101) and masks.any(1).all()
    MaskablePPO("MlpPolicy", env, n_steps=4, batch_size=4, n_epochs=1, device="cpu").learn(8)
    # It asks for pixels first, and on a TypeError for none: as where pygame is not installed.
    monkeypatch.setattr(raster.importlib.util, "find_spec", lambda name: None)
    for error in (SetupError, TypeError):
        with pytest.raises(error, match="render_mode: pictures need pygame"):
            gymnasium.make("SpaceMission-v0", render_mode="rgb_array")
    make_vec_env("SpaceMission-v0", n_envs=2, seed=1)


@pytest.mark.parametrize("name", game_names())
def test_the_state_of_an_aec_environment_is_what_all_seats_see(name: str) -> None:
    from spacemission_env.frontends.aec import env as make

    env = make(name, num_players=2)
    raw = env.unwrapped
    with pytest.raises(SetupError, match="not been reset"):
        raw.state()
    env.reset(seed=3)
    size = find_game(name).observation_size
    for agent in env.agent_iter(40):
        state = env.state()
        assert state.shape == (2 * size,) and state in env.state_space
        for seat, one in enumerate(env.possible_agents):
            part = state[seat * size : (seat + 1) * size]
            assert np.array_equal(part, env.observe(one)["observation"])
        other = raw.game.determinize(raw.seats[agent], 5)
        own = slice(raw.seats[agent] * size, (raw.seats[agent] + 1) * size)
        assert np.array_equal(other.observe(raw.seats[agent]), state[own])
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(np.flatnonzero(observation["action_mask"])[-1]))


def test_steady_infos_have_the_same_entries_at_every_step() -> None:
    forms, ends = set(), 0
    for seed, illegal in ((1, False), (2, False), (3, True)):
        env = SteadyInfo(
            gymnasium.make("SpaceMission-v0", num_players=3, rules={"max_rounds": 3}, illegal="lose")
        )
        _, info = env.reset(seed=seed)
        over = False
        while True:
            forms.add(tuple((key, np.shape(value), np.asarray(value).dtype) for key, value in info.items()))
            assert over or not (info["scores"].any() or info["winners"].any() or info["illegal"])
            if over:
                break
            assert np.array_equal(env.action_masks(), info["action_mask"])
            action = 100 if illegal else int(np.flatnonzero(info["action_mask"])[0])
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        ends += 1
        assert info["illegal"] == illegal
        if not illegal:
            game = env.unwrapped.game
            assert np.array_equal(info["scores"], game.scores())
            assert np.flatnonzero(info["winners"]).tolist() == game.winners()
    assert ends == 3 and len(forms) == 1


def test_moves_are_told_in_words() -> None:
    game = Game(2)
    game.reset(1)
    jump = next(a for a in game.legal_actions() if game.move(a)["kind"] == "jump")
    move = game.move(jump)
    assert game.words(jump) == f"player_{game.player} jumps to {move['planet']} with {move['card']}"
    for action in (89, -1, 3.7, 200):
        with pytest.raises(IllegalActionError, match=f"action {action}"):
            game.words(action)  # type: ignore[arg-type]
    with pytest.raises(SetupError, match="seat"):
        game.words(jump, seat=2)
    while game.phase != "reserve":
        game.step(game.legal_actions()[-1] if game.legal_actions()[-1] >= 74 else jump_or_top_up(game))
    take = game.legal_actions()[0]
    assert "a tile" in game.words(take, seat=1 - game.player)
    assert game.move(take)["tile"] in game.words(take, seat=game.player).replace(" ", "_")
    kuhn = make_game("kuhn_poker", 2)
    kuhn.reset(1)
    assert kuhn.words(kuhn.legal_actions()[0]) == "player_0 checks"


def jump_or_top_up(game: Game) -> int:
    jumps = [a for a in game.legal_actions() if 32 <= a < 72]
    return jumps[0] if jumps else [a for a in game.legal_actions() if a < 32][-1]


@pytest.mark.parametrize(
    "arguments", [["--opponents", "nobody=1"], ["--opponents", "heuristic:no_such_file=1"], []]
)
def test_training_says_nothing_before_it_refuses(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "not empty").touch()
    out = ["--out", str(tmp_path / "new" if arguments else tmp_path)]
    result = CliRunner().invoke(cli.app, ["train", "--steps", "64", *arguments, *out])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1


def test_training_tells_once_what_it_trains(capsys: Any) -> None:
    from spacemission_train.commands.output import told_first

    seen: list[Any] = []
    advance = told_first("training 2 players", seen.append)
    advance(1)
    advance(2)
    assert capsys.readouterr().out == "training 2 players\n"
    assert seen == [1, 2]


FAILING = """from spacemission_env import Agent


class Bot(Agent):
    def choose(self, observation, mask, rng):
        return {}["move"]
"""


def test_commands_tell_where_a_bot_failed_and_all_of_it_where_asked(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "a_failing_bot.py").write_text(FAILING)
    monkeypatch.syspath_prepend(tmp_path)
    spec = "a_failing_bot:Bot"
    result = CliRunner().invoke(cli.app, ["probe", spec, "--theme", "gate"])
    line = f"spacemission: agent '{spec}': failed with KeyError: 'move' (a_failing_bot.py:6)\n"
    assert (result.exit_code, result.stderr) == (1, line)
    monkeypatch.setenv(cli.TRACEBACK, "1")
    result = CliRunner().invoke(cli.app, ["probe", spec, "--theme", "gate"])
    assert isinstance(result.exception, AgentError) and isinstance(result.exception.__cause__, KeyError)
    page = (DOCS / "your_own_bot.md").read_text("utf-8")
    assert f"{cli.TRACEBACK}=1" in page
