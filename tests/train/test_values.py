"""Tests of learning values: the network in torch and compiled code, its targets, and its games."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from spacemission_agents.afterstates.network import INPUTS, WIN
from spacemission_agents.games.space_mission.value.afterstates import (
    AFTERSTATES,
    FEATURES,
    MARGIN_UNIT,
    POINTS_UNIT,
    SIZES,
    kind_turns,
)
from spacemission_env.core.constants import RUNNING
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.rng import seed_rng
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, MAX_PLAYERS, SCORES
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.game import Game
from spacemission_train import self_play
from spacemission_train.learner import Learner
from spacemission_train.networks import Value
from spacemission_train.run import torch_settings
from spacemission_train.self_play import LONGEST, Rates, SelfPlay
from tests.support.afterstates import random_arrays
from tests.support.small_runs import same, tiny
from tests.support.value_games import forward_view, games_of

pytestmark = pytest.mark.slow

SHORT = "printed,max_rounds=3"
write_outcome = AFTERSTATES.names["write_outcome"]


# ------------------------------------------------------------ the network


def random_value(hidden: tuple[int, int], row_width: int, reads: str, seed: int) -> Value:
    """A value network with random weights in each layer, including the outputs."""
    torch.manual_seed(seed)
    made = Value(SIZES, {"hidden": hidden, "input": reads, "planets": row_width})
    for tensor in made.parameters():
        torch.nn.init.normal_(tensor, std=0.2)
    return made


@pytest.mark.parametrize("inputs", [INPUTS[:1] * 2, INPUTS[1:] * 2, INPUTS])
def test_an_ensemble_says_the_mean_of_its_members(inputs: tuple[str, str]) -> None:
    parts = [
        random_value((5, 7), 3, inputs[0], 1),
        random_value((2, 4), 6, inputs[1], 2),
        random_value((5, 7), 3, inputs[0], 3),
    ]
    whole = random_value((12, 18), 12, inputs[1], 4)
    whole.set_ensemble([part.arrays() for part in parts])
    positions = torch.from_numpy(np.random.default_rng(0).integers(0, 6, (50, FEATURES)).astype(np.uint8))
    with torch.no_grad():
        mean = torch.stack([part(positions) for part in parts]).mean(0)
        assert torch.allclose(whole(positions), mean, rtol=1e-4, atol=1e-4)
        assert not torch.allclose(parts[0](positions), mean, rtol=1e-2, atol=1e-2)


# ------------------------------------------------------------ targets


@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("lam", [0.0, 0.5, 0.85, 1.0])
def test_targets_are_those_of_td_lambda_for_each_seat_alone(lam: float, gamma: float) -> None:
    rng, count, room, at = np.random.default_rng(5), 40, 60, 35
    of = self_play.new_memory(AFTERSTATES, 1, 1, False)
    of = of._replace(x=of.x[:room], y=of.y[:room])
    seats = of.seats[0] = rng.integers(0, 3, LONGEST)
    values = of.values[0] = rng.random(LONGEST).astype(np.float32)
    cuts = of.cuts[0] = rng.random(LONGEST) < 0.15
    assert 2 < cuts[:count].sum() < 12
    rounds = of.rounds[0] = np.arange(LONGEST) // 7
    potentials = of.potentials[0] = rng.random(LONGEST).astype(np.float32)
    of.features[0] = rng.integers(0, 255, (LONGEST, FEATURES))
    of.ends[:3] = [[0.5, 1.2, 0.1], [0.0, 0.7, -0.5], [0.5, 1.2, 0.0]]
    of.counts[0], of.y[:] = count, 9.0
    self_play.write_targets(0, of, Rates(1.0, 0.0, lam, gamma), at)
    expected = np.zeros((count, len(SIZES.outputs)))
    for j in range(3):
        own = np.flatnonzero(seats[:count] == j)
        told = values[own].tolist(), cuts[own].tolist(), of.ends[j, 0]
        expected[own, 0] = forward_view(*told, lam, gamma, rounds[own].tolist(), potentials[own].tolist())
        expected[own, 1:] = of.ends[j, 1:]
    places = [(at + n) % room for n in range(count)]  # around the ring, the last position first
    assert (of.x[places] == of.features[0, :count][::-1]).all()
    assert of.y[places] == pytest.approx(expected[::-1], abs=1e-6)
    assert (np.delete(of.y, places, 0) == 9).all() and not np.delete(of.x, places, 0).any()


def test_what_seats_are_told_when_all_are_tied_and_when_one_leads() -> None:
    game = Game(3)
    game.reset(1)
    scores, told = np.zeros((MAX_PLAYERS, SCORES), np.int64), np.zeros((MAX_PLAYERS, 3))
    write_outcome(game.states[0], game.t, np.array(WIN), scores, told)
    assert told[:3] == pytest.approx(np.array([[1 / 3, 0, 0]] * 3))
    game.states[0].tiles[1, 9], game.states[0].tiles[2, 9] = 5, 2  # medals
    write_outcome(game.states[0], game.t, np.array(WIN), scores, told)
    points, lead = (
        np.array([0, 15, 6]) / POINTS_UNIT,
        np.array([-15, 9, -9]) / MARGIN_UNIT,
    )
    assert told[:3] == pytest.approx(np.stack([[0, 1, 0], points, lead], 1))


# ------------------------------------------------------------ games


def test_moves_made_at_random_are_noted() -> None:
    for random, share in ((0.0, 0.0), (0.3, 0.3), (1.0, 1.0)):
        of, play = games_of(2, "printed", games=8, random=random, temperature=0.1)
        play(60)
        assert of.memory.cuts[:, :60].mean() == pytest.approx(share, abs=0.1)


def test_a_game_that_goes_on_too_long_is_dropped() -> None:
    of, play = games_of(2, SHORT)
    assert play(10) == 0 and of.memory.counts[0] == 10
    of.memory.counts[0] = LONGEST  # as if it had
    first, steps = of.states[0].seed, 0
    while not steps or of.states[0].over == RUNNING:
        assert play(1) == 0
        steps += 1
    assert of.states[0].seed != first and of.memory.totals[3] == 1
    assert steps == of.states[0].decisions == play(1) == of.filled


def test_the_ring_holds_the_newest_positions() -> None:
    of, play = games_of(2, SHORT, kept=70)
    new = sum(play(1) for _ in range(200))
    assert new > 70 and of.filled == 70 and of.at == new % 70
    assert of.memory.x.any(1).all()


def test_moves_are_drawn_by_their_logits() -> None:
    dice = np.zeros(1, STATE)
    seed_rng(dice[0], 17)
    logits = np.array([0.0, 0.3, -1.0, 99.0])  # the last is none of the three

    def shares(temperature: float) -> np.ndarray:
        drawn = [self_play.chosen(dice, logits, 3, 0.3, temperature) for _ in range(6000)]
        return np.bincount(drawn, minlength=3) / 6000

    odds = np.exp(logits[:3] / 0.5)
    assert shares(0.5) == pytest.approx(odds / odds.sum(), abs=0.03)
    assert shares(1e-6).tolist() == [0, 1, 0]


def shares_kept(often: np.ndarray, legal: np.ndarray, most: int) -> np.ndarray:
    dice, kept = np.zeros(1, STATE), np.zeros(ACTION_COUNT, np.int64)
    seed_rng(dice[0], 1)
    for _ in range(3000):
        mask = legal.copy()
        self_play.leave_out(dice, most, often, np.zeros(ACTION_COUNT), mask)
        assert mask.sum() == min(most, legal.sum()) and (mask <= legal).all()
        kept += mask
    return kept[legal > 0] / 3000


def test_a_random_choice_of_moves_is_evaluated() -> None:
    legal = np.zeros(ACTION_COUNT, np.int8)
    legal[::4] = 1
    shares = shares_kept(np.ones(ACTION_COUNT), legal, 5)
    assert shares == pytest.approx(np.full(len(shares), 5 / len(shares)), abs=0.04)
    assert (shares_kept(np.ones(ACTION_COUNT), legal, len(shares)) == 1).all()


def test_moves_that_are_often_the_best_are_evaluated_more_often() -> None:
    often, legal = np.ones(ACTION_COUNT), np.zeros(ACTION_COUNT, np.int8)
    for _ in range(3000):
        self_play.note_best(often, np.array([0, 4, 8, 12, 99]), 4, 0)
    assert often[[0, 99]].tolist() == [1, 1] and (often[[4, 8, 12]] < 0.01).all()
    legal[:16:4] = 1
    best, *others = shares_kept(often, legal, 2)
    assert best > 0.95 and others == pytest.approx([1 / 3] * 3, abs=0.04)


# ------------------------------------------------------------ many games, and learning


def played(threads: int, times: int = 2, **changes: Any) -> tuple[SelfPlay, list[tuple[int, int]]]:
    games = SelfPlay(tiny("scratch", threads=threads, **changes))
    arrays = random_arrays(1)
    said = [games.play(arrays) for _ in range(times)]
    games.close()
    return games, said


def test_positions_are_drawn_from_all_parts_with_their_own_targets() -> None:
    games, said = played(1, times=3, players=(2, 3))
    assert games.filled == sum(new for _, new in said) and games.games > 4 and games.rounds > 1
    assert all(decisions == 8 * 16 for decisions, _ in said)
    x, y = (part.numpy() for part in games.sample(np.random.default_rng(1), 3000))
    assert x.shape == (3000, FEATURES) and y.shape == (3000, len(SIZES.outputs))
    known = [
        {(a.tobytes(), b.tobytes()) for a, b in zip(of.memory.x[: of.filled], of.memory.y, strict=False)}
        for of in games.parts
    ]
    places = np.unique(np.concatenate(games.symmetries))
    assert len(games.symmetries) == 24 * 2 * 2 and (places == np.arange(FEATURES)).all()
    backs = [
        np.argsort(turn) for turn in games.symmetries
    ]  # the kinds of tiles have been exchanged in all alike
    first = [back for back in backs if (x[0][back].tobytes(), y[0].tobytes()) in set().union(*known)]
    asked = [{(a[back].tobytes(), b.tobytes()) for a, b in zip(x, y, strict=True)} for back in first]
    assert any(of <= set().union(*known) and all(of & part for part in known) for of in asked), (
        "no positions that were played, or none of a part"
    )


@pytest.fixture
def one_thread() -> Iterator[None]:
    with torch_settings(tiny()):
        yield


@pytest.mark.usefixtures("one_thread")
def test_a_learner_learns_a_position_as_often_as_it_is_told() -> None:
    settings = tiny("scratch", epochs=3)
    learner = Learner(settings)
    new, before = 0, learner.network.arrays()
    with torch.no_grad():  # it has learnt nothing, and says an even share
        assert (learner.network(torch.ones((3, FEATURES), dtype=torch.uint8)) == 0).all()
    play = learner.games.play

    def counted(arrays: dict[str, np.ndarray]) -> tuple[int, int]:
        nonlocal new
        decisions, targets = play(arrays)
        new += targets
        return decisions, targets

    learner.games.play = counted  # type: ignore[method-assign]
    while learner.games.filled < 16 * settings.batch_size:
        assert learner.updates == 0 and same(learner.network.arrays(), before)
        learner.advance(0.0)
    for _ in range(2):
        learner.advance(0.5)
    assert learner.updates == new * 3 // settings.batch_size
    assert learner.loss is not None and 0 < learner.loss < 2
    assert not same(learner.network.arrays(), before)
    learner.games.close()


@pytest.mark.usefixtures("one_thread")
def test_it_plays_and_ends_with_the_mean_of_its_weights() -> None:
    settings = tiny("scratch", average=0.5)
    learner = Learner(settings)
    update, play, weights, played = learner._update, learner.games.play, [], []

    def noted(batch: Any) -> None:
        update(batch)
        weights.append(learner.network.arrays())

    def watched(arrays: dict[str, np.ndarray]) -> tuple[int, int]:
        played.append((len(weights), arrays))
        return play(arrays)

    learner._update, learner.games.play = noted, watched  # type: ignore[method-assign]
    while len(weights) < 12:
        learner.advance(0.0)
    learner.games.close()
    mean, means = learner.network.arrays(), [played[0][1]]
    for k, now in enumerate(weights):
        step = min(1.0, 2.0 / (k + 1))
        mean = {name: (1 - step) * mean[name] + step * now[name] for name in now}
        means.append(mean)
    for updates, arrays in [*played, (len(weights), learner.outcome.arrays())]:
        for name, array in arrays.items():
            np.testing.assert_allclose(array, means[updates][name], atol=1e-5)
    assert not same(learner.outcome.arrays(), weights[-1])


@pytest.mark.usefixtures("one_thread")
def test_rates_and_discount_move_evenly_from_their_first_to_their_last_values() -> None:
    settings = tiny("scratch", gamma=(1.0, 0.8), learning_rate=(1e-2, 2e-3), entropy=(0.04, 0.02))
    learner = Learner(settings)
    for fraction, discount, rate, entropy in ((0.0, 1.0, 1e-2, 0.04), (0.5, 0.9, 6e-3, 0.03)):
        learner.advance(fraction)
        assert learner.games.rates.discount == pytest.approx(discount)
        assert learner.optimizer.param_groups[0]["lr"] == pytest.approx(rate)
        assert learner._entropy_weight == pytest.approx(entropy)
    learner.close()


@pytest.mark.usefixtures("one_thread")
def test_it_learns_to_tell_who_wins() -> None:
    changes: dict[str, Any] = {"epochs": 4, "batch_size": 64, "n_steps": 64, "learning_rate": 3e-3}
    settings = tiny("scratch", **changes, gae_lambda=1.0, rules="printed,max_rounds=12")
    learner = Learner(settings)
    for _ in range(25):
        learner.advance(0.0)
    learner.games.close()
    assert learner.loss is not None and learner.loss < 0.62 < np.log(2), learner.loss


def test_only_kinds_of_which_there_are_as_many_are_exchanged() -> None:
    parameters = find_game("space_mission").default_parameters().copy()
    assert len(kind_turns(parameters)) == 4 * 3 * 2 * 2 * 2  # minerals, aliens, matter
    parameters[0]["tile_count"][[0, 4]] += 1  # one red mineral more: only the three others are alike
    turns = kind_turns(parameters)
    assert len(turns) == 3 * 2 * 2
    features = np.arange(FEATURES)
    assert all((np.sort(turn) == features).all() for turn in turns), "an exchange loses nothing"
