"""Tests of self-play on RLlib: rewards, masks, and an exported model equal to the trained one."""

from __future__ import annotations

import csv
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from typer.testing import CliRunner

from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.cli import app
from spacemission_env.core.agents import Decisions, act_alone, prepare_agents
from spacemission_env.core.errors import AgentError, IllegalActionError, SpaceMissionError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.game import Game
from spacemission_train.rllib import ENGINE, is_rllib_run, settings_here, train_rllib
from spacemission_train.run.torch_settings import torch_settings
from spacemission_train.settings.presets import make_settings

pytestmark = pytest.mark.slow

SHORT = "printed,max_rounds=5"
RLLIB = "ray.rllib.algorithms.ppo"


def new_env(**config: Any) -> Any:
    pytest.importorskip(RLLIB)
    from spacemission_train.rllib.env import SeatsEnv

    return SeatsEnv({"rules": SHORT, **config})


def play_out(env: Any, seed: int) -> tuple[dict[str, list[float]], dict[str, Any], str]:
    """The rewards of each agent, the last infos, and the agent that made the last move."""
    rng = np.random.default_rng(seed)
    observations, _ = env.reset(seed=seed)
    paid: dict[str, list[float]] = {agent: [] for agent in env.possible_agents}
    while True:
        (agent,) = observations
        action = int(rng.choice(np.flatnonzero(observations[agent]["action_mask"])))
        observations, rewards, terminateds, truncateds, infos = env.step({agent: action})
        for name, reward in rewards.items():
            paid[name].append(reward)
        assert not truncateds["__all__"]
        if terminateds["__all__"]:
            return paid, infos, agent
        assert len(observations) == 1


PAID = [("space_mission", n, name) for n in (2, 3, 4, 5) for name in ("win", "rank", "score_margin")]
PAID += [("kuhn_poker", n, "chips") for n in (2, 3)]


@pytest.mark.parametrize(("game", "num_players", "reward"), PAID)
def test_every_seat_is_paid_its_own_final_reward(game: str, num_players: int, reward: str) -> None:
    rules = SHORT if game == "space_mission" else None
    env = new_env(game=game, rules=rules, num_players=num_players, reward=reward)
    ends = set()
    for seed in range(3 if game == "space_mission" else 12):
        paid, infos, last = play_out(env, seed)
        ends.add(last)
        expected = env.game.rewards(env.reward_mode)
        assert len(set(expected)) > 1
        for seat, agent in enumerate(env.possible_agents):
            assert sum(paid[agent]) == pytest.approx(expected[seat])
            assert not any(paid[agent][:-1])
            assert infos[agent]["truncated"] == (env.game.reason == "truncated")
        assert any(agent != last and any(paid[agent]) for agent in paid)
    assert game == "space_mission" or len(ends) == num_players


def test_shaped_rewards_come_to_the_change_of_the_lead() -> None:
    env = new_env(num_players=3, reward="score_margin", shaping=2.0)
    plain = new_env(num_players=3, reward="score_margin", shaping=2.0, final_lead=False)
    for seed in range(4):
        paid, _, _ = play_out(env, seed)
        totals = env.game.scores()[:, -1]
        finals = env.game.rewards(env.reward_mode)
        gone, _, _ = play_out(plain, seed)
        for seat, agent in enumerate(env.possible_agents):
            lead = (totals[seat] - np.delete(totals, seat).max()) / 100
            # The lead at a seat's first observation is the same in both and small; nothing is paid before.
            assert sum(paid[agent]) - sum(gone[agent]) == pytest.approx(2.0 * lead, abs=1e-5)
            assert abs(sum(gone[agent]) - finals[seat]) <= 2.0 * 0.1


def test_opponents_take_the_other_seats_and_one_seat_learns() -> None:
    env = new_env(num_players=3, mixture={"random": 1.0}, reward="score_margin")
    seats = []
    for seed in range(6):
        paid, infos, _ = play_out(env, seed)
        (seat,) = env.learners
        seats.append(seat)
        agent = env.possible_agents[seat]
        assert list(infos) == [agent]
        assert [sum(paid[name]) for name in paid if name != agent] == [0, 0]
        assert sum(paid[agent]) == pytest.approx(env.game.rewards(env.reward_mode)[seat])
    assert set(seats) == {0, 1, 2}


def test_past_is_the_learner_until_there_is_a_snapshot() -> None:
    env = new_env(num_players=2, mixture={"past": 1.0}, hidden=[4])
    from spacemission_train.rllib.algorithm import policy_arrays

    env.reset(seed=1)
    assert env.learners == {0, 1}
    env.pool.add_snapshot(10, policy_arrays(new_module([4]).get_state()))
    paid, _, _ = play_out(env, 2)
    assert len(env.learners) == 1
    assert sum(map(len, paid.values())) > 5


def test_games_have_each_number_of_players() -> None:
    env = new_env(num_players=[2, 4])
    numbers = {len(play_out(env, seed)[1]) for seed in range(8)}
    assert numbers == {2, 4}


def test_env_runners_deal_different_games() -> None:
    pytest.importorskip(RLLIB)
    from ray.rllib.env.env_context import EnvContext

    from spacemission_train.rllib.env import SeatsEnv

    def first(worker: int, seed: int) -> bytes:
        env = SeatsEnv(EnvContext({"seed": 5}, worker_index=worker))
        return next(iter(env.reset(seed=seed)[0].values()))["observations"].tobytes()

    assert first(1, 7) == first(1, 7)
    assert len({first(1, 7), first(1, 8), first(2, 7), first(2, 8)}) == 4


def test_a_wrong_seat_and_an_illegal_move_are_refused() -> None:
    env = new_env(num_players=2)
    observations, _ = env.reset(seed=3)
    (agent,) = observations
    other = next(name for name in env.possible_agents if name != agent)
    with pytest.raises(IllegalActionError, match=f"{agent} is to act"):
        env.step({other: 0})
    illegal = int(np.flatnonzero(observations[agent]["action_mask"] == 0)[0])
    with pytest.raises(IllegalActionError):
        env.step({agent: illegal})
    play_out(env, 3)
    with pytest.raises(IllegalActionError, match="the game is over"):
        env.step({agent: 0})


# ---------------------------------------------------------------- training on RLlib


def new_module(hidden: list[int]) -> Any:
    from spacemission_train.rllib.algorithm import MaskedNetworks
    from spacemission_train.rllib.env import seat_space

    return MaskedNetworks(
        observation_space=seat_space(find_game()),
        action_space=spaces.Discrete(ACTION_COUNT),
        model_config={"hidden": hidden, "sizes": [find_game().observation_size, ACTION_COUNT]},
    )


def test_env_runners_lose_no_reward_where_games_are_cut() -> None:
    """The fragments of an env runner, put together, hold each seat's moves and its reward."""
    pytest.importorskip(RLLIB)
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

    from spacemission_train.rllib import algorithm as rllib_config
    from spacemission_train.rllib.env import SeatsEnv

    truth = []

    class Watched(SeatsEnv):
        def step(self, action_dict: Any) -> Any:
            self.moves = getattr(self, "moves", None) or [0] * self.game.num_players
            self.moves[int(self.game.states[0].player)] += 1
            out = super().step(action_dict)
            if self.game.over:
                finals = self.game.rewards(self.reward_mode)
                truth.append(tuple(zip(self.moves, np.round(finals, 4), strict=True)))
                self.moves = None
            return out

    settings = make_settings(
        players=3, rules=SHORT, envs=3, n_steps=17, shaping=0.0, opponents="latest=1", hidden=(8,), seed=4
    )
    config = rllib_config.ppo_config(settings_here(settings), 0)
    config.environment(Watched)
    with torch_settings(1):  # RLlib seeds everything there is
        runner = MultiAgentEnvRunner(config=config, worker_index=0)
        games: dict[str, dict[str, list[float]]] = {}
        done, fragments = [], 0
        for _ in range(25):
            for episode in runner.sample():
                seats = games.setdefault(episode.id_, {})
                fragments += 1
                for agent, part in episode.agent_episodes.items():
                    total = seats.setdefault(agent, [0, 0.0])
                    total[0] += len(part)
                    total[1] += float(np.sum(part.get_rewards()))
                    seen, actions = part.get_observations(), part.get_actions()
                    legal = seen["action_mask"][np.arange(len(part)), np.asarray(actions)]
                    assert legal.all()
                if episode.is_done:
                    done.append(episode.id_)
        runner.stop()
    found = sorted(tuple((m, np.round(r, 4)) for _, (m, r) in sorted(games[i].items())) for i in done)
    assert len(done) >= 10
    assert fragments > 2 * len(done)  # games were cut
    assert found == sorted(truth)


def seen_in_games(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of random games."""
    rng = np.random.default_rng(0)
    game, rows = Game(2), []
    game.reset(11)
    while len(rows) < count:
        if game.over:
            game.reset(None)
        rows.append((game.observe(), game.mask()))
        game.step(int(rng.choice(np.flatnonzero(rows[-1][1]))))
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def forward(module: Any, observations: np.ndarray, masks: np.ndarray) -> Any:
    import torch
    from ray.rllib.core.columns import Columns

    seen = {"observations": torch.from_numpy(observations), "action_mask": torch.from_numpy(masks)}
    return module.forward_exploration({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]


def test_no_illegal_move_is_ever_sampled() -> None:
    pytest.importorskip(RLLIB)
    import torch

    observations, masks = seen_in_games(300)
    module = new_module([16])
    with torch.no_grad():
        for layer in module.policy:
            layer.weight.mul_(20)  # probabilities far apart, many illegal moves far ahead
    probabilities = module.get_exploration_action_dist_cls().from_logits(forward(module, observations, masks))
    torch.manual_seed(0)
    rows = np.arange(len(masks))
    free = forward(module, observations, np.ones_like(masks)).argmax(1).numpy()
    assert (masks[rows, free] == 0).sum() > 50
    for _ in range(50):
        assert masks[rows, probabilities.sample().numpy()].all()
    assert torch.isfinite(probabilities.entropy()).all()


def small(**changes: Any) -> Any:
    given = {"batch_size": 32, "epochs": 2, "hidden": (8,), "seed": 3, "steps": 10_000, "threads": 1}
    evaluations = {"checkpoint_steps": 150, "evaluation_games": 6, "final_games": 6}
    return make_settings(**{**given, **evaluations, **changes})


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run of three updates on two env runners, and its rows as reported."""
    pytest.importorskip(RLLIB)

    settings = small(players=2, rules=SHORT, envs=8, n_steps=12, hidden=(24, 16), seed=9)
    rows: list[dict[str, Any]] = []
    out = tmp_path_factory.mktemp("rllib") / "run"
    run = train_rllib(settings, out, num_env_runners=2, iterations=3, report=rows.append)
    return run, rows, out


def test_a_run_on_two_env_runners_writes_a_run_folder(trained: Any) -> None:
    run, rows, out = trained
    assert run.updates == 3
    assert [row["steps"] for row in rows] == [row["steps"] for row in run.rows]
    assert run.steps == rows[-1]["steps"] >= 3 * 8 * 12
    with open(out / "progress.csv", newline="") as file:
        written = list(csv.DictReader(file))
    assert [int(row["steps"]) for row in written] == [row["steps"] for row in rows]
    assert {"seconds", "steps_per_second", "win_random", "win_greedy"} <= set(written[0])
    assert sorted(path.name for path in (out / "checkpoints").iterdir()) == [
        f"step_{row['steps']:09d}" for row in rows
    ]


def test_what_is_exported_is_what_was_trained(trained: Any) -> None:
    run, _, out = trained
    module = run.algorithm.learner_group._learner.module["learner"].unwrapped()
    fresh = new_module([24, 16])
    observations, masks = seen_in_games(200)
    agent = PolicyAgent(str(out / "model"))
    decisions = Decisions(observations, masks, np.arange(len(masks)))
    assert agent.card["network"]["hidden"] == [24, 16]
    assert {"win_share_against_random_2p", "win_share_against_greedy_2p"} <= set(agent.card["results"])
    everything = np.ones_like(masks)
    theirs = forward(module, observations, everything).detach().numpy()
    np.testing.assert_allclose(agent.logits(decisions), theirs, rtol=1e-4, atol=1e-5)
    best = forward(module, observations, masks).detach().numpy().argmax(1)
    assert (agent.act(decisions) == best).all()
    trained = module.state_dict()
    for name, array in agent.arrays.items():
        assert (array == trained[name].numpy()).all(), name
    assert set(agent.arrays) == {name for name in fresh.state_dict() if name.startswith("policy.")}
    first = run.out / "checkpoints" / f"step_{run.rows[0]['steps']:09d}"
    assert (PolicyAgent(str(first)).arrays["policy.0.weight"] != agent.arrays["policy.0.weight"]).any()


def test_another_game_is_trained_on_rllib(tmp_path: Path) -> None:
    """Two updates of three-player Kuhn poker; the model plays that game, and no other."""
    pytest.importorskip(RLLIB)

    kuhn = find_game("kuhn_poker")
    settings = small(game="kuhn_poker", players=3, reward="chips", envs=4, n_steps=16, checkpoint_steps=60)
    out = tmp_path / "run"
    run = train_rllib(settings, out, num_env_runners=1, iterations=2)
    assert run.updates == 2 and run.steps >= 2 * 4 * 16
    assert {result.opponent for result in run.results} == {"random"}
    first = PolicyAgent(str(out / "checkpoints" / f"step_{run.rows[0]['steps']:09d}"), kuhn).arrays
    agent = PolicyAgent(str(out / "model"), kuhn)
    assert any((agent.arrays[name] != first[name]).any() for name in first)
    game = make_game(kuhn, 3)
    for seed in range(5):
        game.reset(seed)
        prepare_agents([agent], game.info)
        while not game.over:
            game.step(int(act_alone(agent, game.ask())[0]))
    with pytest.raises(AgentError, match="it plays kuhn_poker, the game is space_mission"):
        prepare_agents([agent], Game(3).info)


# ---------------------------------------------------------------- refusals


def run_train(*args: Any) -> Any:
    return CliRunner().invoke(app, ["train", *map(str, args)])


def test_without_rllib_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, RLLIB, None)
    done = run_train("--engine", "rllib", "--out", tmp_path / "run")
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.endswith("is needed: pip install 'spacemission-env[rllib]'")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--engine", "ray"), "--engine: expected sb3 or rllib, not 'ray'"),
        (("--workers", 3), "--workers: only with --engine rllib"),
        (("--address", "auto"), "--address: only with --engine rllib"),
        (("--engine", "sb3", "--workers", 3), "--workers: only with --engine rllib"),
        (("--engine", "rllib", "--exploit", "greedy"), "settings: exploit: not on rllib"),
        (("--engine", "rllib", "--start", "policy:default"), "settings: start: not on rllib"),
        (("--engine", "rllib", "--set", "imitate=greedy"), "settings: imitate: not on rllib"),
    ],
)
def test_what_an_engine_cannot_do_is_refused_in_one_line(
    options: tuple[Any, ...], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, RLLIB, None)  # said also where RLlib is not installed
    done = run_train(*options, "--out", tmp_path / "run")
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert said in line
    assert not (tmp_path / "run").exists()


def test_a_run_on_rllib_is_not_gone_on_with(tmp_path: Path) -> None:
    done = run_train("--engine", "rllib", "--resume", tmp_path)
    assert done.exit_code == 1
    assert "a run on rllib cannot be resumed" in done.stderr
    # Nor by the other engine, which would begin it anew in the same folder.
    text = f'{ENGINE} 2.60.0\n# command: spacemission train\n\npreset = "quick"\n'
    (tmp_path / "experiment.toml").write_text(text)
    done = run_train("--resume", tmp_path)
    assert done.exit_code == 1
    assert "a run on rllib cannot be resumed" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["experiment.toml"]


def test_the_module_is_short_for_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from spacemission_train.rllib.__main__ import main

    monkeypatch.setattr(sys, "argv", ["rllib", "--exploit", "greedy"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "settings: exploit: not on rllib" in capsys.readouterr().err


def test_the_command_trains_on_rllib(tmp_path: Path) -> None:
    pytest.importorskip(RLLIB)
    tiny = ("envs=4", "n_steps=12", "batch_size=16", "epochs=1", "hidden=[8]", "evaluation_games=2",
            "final_games=2", "kl=0.5", "precision=auto")  # fmt: skip
    sets = [part for setting in tiny for part in ("--set", setting)]
    out = tmp_path / "run"
    done = run_train(
        *("--engine", "rllib", "--workers", 1, "--rules", SHORT, "--steps", 40, "--threads", 1),
        *(*sets, "--out", out, "--json"),
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["model"] == str(out / "model") and told["best"] is None
    assert told["steps"] >= 40 and told["training_seconds"] > 0
    assert PolicyAgent(told["model"]).card["training"]["workers"] == 1
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("warning")]
    assert line == "warning: on rllib the run has kl 0.0, not 0.5"
    assert is_rllib_run(out)
    assert tomllib.loads((out / "experiment.toml").read_text())["input"] == "observation"


@pytest.mark.parametrize(
    ("changes", "workers", "said"),
    [
        ({"preset": "exploit", "exploit": "greedy"}, 2, "settings: exploit: not on rllib"),
        ({"opponents": "nobody=1"}, 2, "agent 'nobody': unknown"),
        ({}, 0, "rllib: workers: expected a whole number from 1, not 0"),
    ],
)
def test_bad_settings_are_refused_before_anything_starts(
    changes: dict[str, Any], workers: int, said: str, tmp_path: Path
) -> None:
    pytest.importorskip(RLLIB)

    with pytest.raises(SpaceMissionError, match=said):
        train_rllib(make_settings(**changes), tmp_path / "run", num_env_runners=workers)
    assert not (tmp_path / "run").exists()
