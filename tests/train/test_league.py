"""What self-play has besides plain PPO: every form of network, past selves, imitation, KL, exact resuming."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spacemission_agents.games.space_mission.policy.inputs import HIDDEN_SIZE
from spacemission_agents.games.space_mission.policy.network import new_network, njit, run_critic
from spacemission_agents.models.folder import load_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import Decisions, act_alone, make_agent
from spacemission_env.core.mixture import parse_mixture
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, MAX_PLAYERS, SCORES
from spacemission_env.games.space_mission.engine.scoring import score
from spacemission_train.games.space_mission.views import LearnerView
from spacemission_train.ppo.imitation import imitate
from spacemission_train.ppo.model import torch_settings
from spacemission_train.ppo.networks import network_arrays, policy_arrays
from spacemission_train.ppo.run import PpoRun
from spacemission_train.run import trainer
from spacemission_train.run.state import read_state
from spacemission_train.self_play.league import MOST_BEATEN, NetworkPlayer, Pool
from spacemission_train.self_play.table import GameTable
from spacemission_train.settings.settings import Settings
from tests.support.small_runs import FULL, keys, new_model, same, some_decisions, tiny, weights

pytestmark = pytest.mark.slow

FORMS = [
    {"input": "observation", "planets": 0},
    {"input": "turned", "planets": 0},
    {"input": "ring", "planets": 0},
    {"input": "ring", "planets": 5},
]
PARTS = {"input": "ordered", "planets": 5, "cards": 4}  # part_networks.py: without a critic for others


def some_table(count: int, players: Any = 2, moves: int = 25) -> GameTable:
    table = GameTable(count, players, "printed")
    for i in range(count):
        table.deal(i, i)
    for _ in range(moves):
        asked = table.ask(table.everyone)
        table.step(table.everyone, make_agent("random").act(asked))
    return table


# ------------------------------------------------------------ networks


@pytest.mark.parametrize("critic", ["observation", "full"])
@pytest.mark.parametrize("form", [*FORMS, PARTS])
def test_torch_and_the_compiled_player_give_the_same_logits(
    form: dict[str, Any], critic: str, tmp_path: Path
) -> None:
    settings = tiny(**form, critic=critic, players=(2, 4))
    run = PpoRun(settings, tmp_path, "")
    run.save_model(tmp_path / "model")
    model = run.model
    table = some_table(60, (2, 4))
    view = LearnerView(table, settings.form)
    inputs, masks = view.read(table.everyone, table.players, np.zeros(60, np.int64))
    with torch.no_grad():
        latent = model.policy.mlp_extractor.forward_actor(torch.from_numpy(inputs))
        logits = model.policy.action_net(latent).numpy()
    expected = np.zeros_like(logits)
    for action in range(ACTION_COUNT):
        own = view.own_actions(np.full(60, action))
        expected[np.arange(60), own] = logits[:, action]
    asked = table.ask(table.everyone)
    agents = PolicyAgent(str(tmp_path / "model")), NetworkPlayer(settings.form, policy_arrays(model.policy))
    for agent in agents:
        assert agent.logits(asked) == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected, 0).max() > 1e-3, "the logits do not depend on what is seen"
    assert (masks.sum(1) == asked.masks.sum(1)).all()


@pytest.mark.parametrize("critic", ["observation", "full"])
@pytest.mark.parametrize("form", [*FORMS, {"input": "rated", "planets": 5}])
def test_torch_and_the_compiled_critic_give_the_same_values(
    form: dict[str, Any], critic: str, tmp_path: Path
) -> None:
    settings = tiny(**form, critic=critic, players=(2, 4))
    run = PpoRun(settings, tmp_path, "")
    run.save_model(tmp_path / "model")
    model = run.model
    card, arrays = load_model(tmp_path / "model")
    assert card["network"]["value"]["full"] == (critic == "full")
    table = some_table(60, (2, 4))
    view = LearnerView(table, settings.form)
    inputs, _ = view.read(table.everyone, table.players, np.zeros(60, np.int64))
    with torch.no_grad():
        expected = model.policy.predict_values(torch.from_numpy(inputs)).numpy()[:, 0]
    asked, values = table.ask(table.everyone), np.zeros(60)
    value = new_network(arrays, card["network"], "value")
    write_values(table.states, table.template.parameters, asked.observations, asked.masks, value, values)
    assert values == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected) > 1e-3, "the values do not depend on what is seen"


@njit
def write_values(states, boxes, observations, masks, network, out):
    """What a critic says for the players to act."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for i in range(len(states)):
        s = states[i]
        score(s, boxes[0], scores)
        out[i] = run_critic(s, boxes[0], int(s.player), observations[i], masks[i], scores, network)


def test_the_policy_reads_nothing_hidden_and_a_full_critic_does() -> None:
    settings = tiny(**FORMS[-1], critic="full")
    model = new_model(settings)
    table = some_table(30)
    view = LearnerView(table, replace(settings.form, full_critic=True))
    inputs, _ = view.read(table.everyone, table.players, np.zeros(30, np.int64))
    changed = inputs.copy()
    changed[:, -HIDDEN_SIZE:] += 1
    with torch.no_grad():
        network = model.policy.mlp_extractor
        first, second = (torch.from_numpy(x) for x in (inputs, changed))
        assert torch.equal(network.forward_actor(first), network.forward_actor(second))
        assert not torch.equal(network.forward_critic(first), network.forward_critic(second))


# ------------------------------------------------------------ past selves


def league(pfsp: float, results: list[float]) -> Pool:
    pool = Pool(parse_mixture("random=1,past=3"), tiny().form, pfsp)
    arrays = policy_arrays(new_model(tiny()).policy)
    pool.set_latest(arrays)
    for steps, result in enumerate(results):
        pool.add_snapshot(steps, arrays, result)
    return pool


def test_past_selves_that_are_not_beaten_are_drawn_more_often() -> None:
    pool = league(2.0, [0.9, 0.5, 0.1])
    assert pool.probabilities() == pytest.approx(np.array([0.01, 0.25, 0.81]) / 1.07)
    drawn = np.bincount(pool.draw(np.random.default_rng(0), 40_000), minlength=5) / 40_000
    assert drawn == pytest.approx([0.25, 0, *(0.75 * pool.probabilities())], abs=0.01)
    assert league(0.0, [0.9, 0.5, 0.1]).probabilities() == pytest.approx([1 / 3] * 3)
    beaten = league(1.0, [1.0, MOST_BEATEN, 0.0])
    assert beaten.probabilities()[0] == beaten.probabilities()[1] > 0


def test_results_are_noted_of_past_selves_alone() -> None:
    pool = league(1.0, [0.5, 0.5])
    pool.note(np.array([0, 1, 2]), np.array([1.0, 1.0, 1.0]))
    assert pool.results[0] > 0.5 and pool.results[1] == 0.5
    for _ in range(3000):
        pool.note(np.array([3]), np.array([0.0]))
    assert pool.results[1] < 0.01


# ------------------------------------------------------------ KL to the past policy


def kl_after_an_update(kl: float, **changes: Any) -> tuple[float, float]:
    """What one update logs of KL to the past, and how far the policy has moved."""
    settings = tiny(kl=kl, epochs=20, **changes)
    with torch_settings(1):
        model = new_model(settings)
        model.remember()
        before = policy_arrays(model.policy)
        model.learn(settings.envs * settings.n_steps)
    after = policy_arrays(model.policy)
    moved = max(float(np.abs(after[name] - before[name]).max()) for name in before)
    return model.logger.name_to_value["train/kl_to_past"], moved


def test_kl_is_zero_for_an_unchanged_policy_and_holds_one_that_changes() -> None:
    still, moved = kl_after_an_update(0.01, learning_rate=0.0)
    assert moved == 0.0 and abs(still) < 1e-6
    free, held = (kl_after_an_update(kl, learning_rate=3e-3)[0] for kl in (1e-6, 100.0))
    assert free > 1e-4
    assert held < free / 2


def test_without_kl_no_past_policy_is_kept() -> None:
    model = new_model(tiny())
    model.remember()
    assert model.past is None


# ------------------------------------------------------------ the mean of the weights


def selves(average: float, updates: int) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """One layer's weights after each update, and their mean as it was then."""
    settings = tiny(average=average)
    live, mean = [], []
    with torch_settings(1):
        model = new_model(settings)
        for k in range(updates):
            model.learn(settings.envs * settings.n_steps, reset_num_timesteps=k == 0)
            live.append(model.policy.action_net.weight.detach().clone())
            mean.append(model.outcome.action_net.weight.detach().clone())
    return live, mean


def test_the_mean_of_all_updates_is_their_mean() -> None:
    live, mean = selves(1.0, 5)
    for k in range(5):
        torch.testing.assert_close(mean[k], torch.stack(live[: k + 1]).mean(0))
    assert not torch.equal(mean[-1], live[-1])


def test_the_mean_forgets_what_is_older_than_its_share() -> None:
    live, mean = selves(0.5, 4)
    torch.testing.assert_close(mean[1], live[1])  # half of two updates is the last
    expected = live[1] + (live[2] - live[1]) * 2 / 3
    torch.testing.assert_close(mean[2], expected)
    torch.testing.assert_close(mean[3], expected + (live[3] - expected) / 2)
    live, mean = selves(0.0, 2)
    assert torch.equal(mean[1], live[1])


def test_a_run_leaves_the_mean_and_plays_on_without(tmp_path: Path) -> None:
    run = trainer.start(tiny(average=0.8, steps=512, checkpoint_steps=256), tmp_path / "run")
    left, live = network_arrays(run.model.mean), network_arrays(run.model.policy)
    assert not same(left, live)
    assert same(weights(run.out / "model"), left)
    last = run.pool.player(len(run.pool.names) + len(run.pool.snapshots) - 1)
    asked = some_decisions()
    assert (last.logits(asked) == NetworkPlayer(run.settings.form, left).logits(asked)).all()
    run.model.on_rollout()
    latest = run.pool.fixed[run.pool.names.index("latest")]
    assert (latest.logits(asked) == NetworkPlayer(run.settings.form, live).logits(asked)).all()


# ------------------------------------------------------------ imitation


def agreement(settings: Settings, model: Any) -> tuple[float, float]:
    """How often the policy plays as greedy does, and how often a random legal move would."""
    table = some_table(300, settings.players, moves=10)
    asked = table.ask(table.everyone)
    asked = Decisions(asked.observations.copy(), asked.masks.copy(), keys(300, 1))
    taught = act_alone(make_agent("greedy"), asked)
    player = NetworkPlayer(settings.form, policy_arrays(model.policy), sample=False)
    return float((player.act(asked) == taught).mean()), float((1 / asked.masks.sum(1)).mean())


@pytest.mark.parametrize("augment", [False, True])
def test_imitation_brings_the_policy_near_the_agent(augment: bool) -> None:
    changes = {"imitate": "greedy", "imitate_decisions": 40_000, "augment": augment}
    settings = tiny(**FORMS[-1], hidden=(48,), players=(2, 3), rules="printed", **changes)
    with torch_settings(1):
        model = new_model(settings)
        values = [weights.clone() for weights in model.policy.value_net.parameters()]
        before, chance = agreement(settings, model)
        imitate(settings, model.policy)
    after, _ = agreement(settings, model)
    assert after > before + 0.2 and after > chance + 0.2
    assert all(torch.equal(a, b) for a, b in zip(values, model.policy.value_net.parameters(), strict=True))


# ------------------------------------------------------------ a run with all of it


def stop(_: Any) -> None:
    raise KeyboardInterrupt


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> trainer.Run:
    return trainer.start(tiny(**FULL, device="auto"), tmp_path_factory.mktemp("run") / "out")


def test_a_full_run_is_resumed_exactly(whole: trainer.Run, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        trainer.start(tiny(**FULL, device="auto"), tmp_path / "out", report=stop)
    run = trainer.resume(tmp_path / "out")
    before, after = (read_state(out / trainer.STATE_FILE) for out in (whole.out, run.out))
    assert before[1].keys() == after[1].keys()
    assert all(torch.equal(before[1][name], after[1][name]) for name in before[1])
    timed = {"seconds", "training", "env_seconds", "rows"}
    parts = [{k: v for k, v in text.items() if k not in timed} for text, _ in (before, after)]
    assert parts[0] == parts[1] and parts[0]["pool_results"] != [0.5] * len(parts[0]["pool_results"])
    clocks = {"seconds", "steps_per_second"}
    rows = [[{k: v for k, v in row.items() if k not in clocks} for row in of.rows] for of in (whole, run)]
    assert rows[0] == rows[1] and len(rows[0]) == 2
    assert same(weights(whole.out / "model"), weights(run.out / "model"))
    assert run.model.ent_coef == whole.model.ent_coef != whole.settings.entropy


def test_a_full_run_leaves_a_model_for_every_number_of_players(whole: trainer.Run) -> None:
    card = load_model(whole.out / "model")[0]
    names = ("random", "greedy", "heuristic")
    assert set(card["results"]) == {f"win_share_against_{name}_{n}p" for name in names for n in (2, 3, 5)}
    assert (card["network"]["input"], card["network"]["planets"]) == ("ring", 6)
    agent = make_agent(f"policy:{whole.out / 'model'}")
    for players in (2, 3, 5):
        table = GameTable(20, players, FULL["rules"])
        for i in range(20):
            table.deal(i, i)
        asked = table.ask(table.everyone)
        assert asked.masks[np.arange(20), act_alone(agent, asked)].all()
    columns = {f"win_{name}{tail}" for name in names for tail in ("", "_3p", "_5p")}
    assert columns <= set(whole.rows[-1])
    assert card["training"]["players"] == [2, 3, 5]


def test_a_number_of_players_named_twice_is_played_twice_as_often() -> None:
    table = GameTable(1200, (2, 2, 4), FULL["rules"])
    for i in range(1200):
        table.deal(i, i)
    twos = np.count_nonzero(table.seats == 2)
    assert np.count_nonzero(table.seats == 4) == 1200 - twos
    assert abs(twos - 800) < 5 * 16.4, "800 and five standard deviations"
