"""Front ends pass other projects' checks, pay the right rewards, and play equal games."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, VectorEnv
from pettingzoo import AECEnv
from pettingzoo.test import api_test, seed_test
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_checker import check_env as check_env_sb3
from stable_baselines3.common.env_util import make_vec_env

import spacemission_env
from spacemission_env import Game, space_mission_v0
from spacemission_env.core.errors import IllegalActionError, SetupError, SpaceMissionError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.core.reading import Json
from spacemission_env.frontends import aec
from spacemission_env.frontends.gym_env import LearnerEnv, SteadyInfo
from spacemission_env.games.space_mission.engine.constants import TAKE
from spacemission_env.pictures import raster
from tests.support.front_ends import make_vector, played_aec
from tests.support.random_play import uniform

# api_test gives these two warnings for every environment with an action mask, except its own games.
EXPECTED_API_WARNINGS = {
    "Observation is not a NumPy array",  # it is a dict of observation and mask
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}


def user_warnings(caught: list[warnings.WarningMessage]) -> set[str]:
    """Warnings from the checkers, without interpreter warnings about files of other tests."""
    return {str(w.message) for w in caught if issubclass(w.category, UserWarning)}


def at_random(rng: np.random.Generator) -> Callable[[np.ndarray], int]:
    """Choose a random legal action."""
    return lambda mask: int(rng.choice(np.flatnonzero(mask)))


# ---------------------------------------------------------------- outside suites


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("options", [{}, {"observation": "table", "rules": "yucata", "reward": "rank"}])
def test_pettingzoo_api_test(num_players: int, options: Json) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(space_mission_v0.env(num_players=num_players, **options), num_cycles=700)
    assert user_warnings(caught) <= EXPECTED_API_WARNINGS


def test_pettingzoo_seed_test() -> None:
    seed_test(lambda: space_mission_v0.env(num_players=3), num_cycles=300)


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_gymnasium_and_sb3_env_checkers(opponents: str) -> None:
    # The checkers ignore the mask, so illegal actions must be accepted: illegal="lose".
    env = gymnasium.make("SpaceMission-v0", opponents=opponents, illegal="lose", render_mode="ansi")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
        check_env_sb3(env.unwrapped)
    assert user_warnings(caught) == set()


def test_registered_with_pettingzoo_where_it_has_a_registry() -> None:
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    env = pettingzoo.make("aec", "spacemission/space_mission-v0", num_players=4)
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]


def test_everyones_first_line_of_sb3_works(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make_vec_env("SpaceMission-v0", n_envs=2, seed=1)
    env.reset()
    masks = get_action_masks(env)
    assert masks.shape == (2, 101) and masks.any(1).all()
    MaskablePPO("MlpPolicy", env, n_steps=4, batch_size=4, n_epochs=1, device="cpu").learn(8)
    # Without pygame, the request for pixels must raise TypeError, so that SB3 tries again without them.
    monkeypatch.setattr(raster.importlib.util, "find_spec", lambda name: None)
    for error in (SetupError, TypeError):
        with pytest.raises(error, match="render_mode: pictures need pygame"):
            gymnasium.make("SpaceMission-v0", render_mode="rgb_array")
    make_vec_env("SpaceMission-v0", n_envs=2, seed=1)


# ---------------------------------------------------------------- the AEC environment


@pytest.mark.parametrize("reward", ["win", "rank", "score_margin"])
@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_each_seat_gets_its_own_final_reward_from_last(num_players: int, reward: str) -> None:
    env = space_mission_v0.env(num_players=num_players, reward=reward, rules={"max_rounds": 15})
    for seed in range(3):
        returns = dict.fromkeys(env.possible_agents, 0.0)
        for agent, last in played_aec(env, seed, at_random(np.random.default_rng(seed))):
            returns[agent] += last[1]
        raw = env.unwrapped
        scores = [row["total"] for row in raw.game.scores_json()]
        winners = raw.game.winners()
        if reward == "win":
            expected = [
                1 / len(winners) if seat in winners else -1 / (num_players - len(winners))
                for seat in range(num_players)
            ]
        elif reward == "score_margin":
            expected = [(s - max(scores[:i] + scores[i + 1 :])) / 100 for i, s in enumerate(scores)]
        else:
            stations = [row["stations"] for row in raw.game.scores_json()]
            place = list(zip(scores, stations, strict=True))
            expected = [
                (sum(p < mine for p in place) - sum(p > mine for p in place)) / (num_players - 1)
                for mine in place
            ]
        assert list(returns.values()) == pytest.approx(expected)


@pytest.mark.parametrize("at_round_limit", ["terminate", "truncate"])
def test_the_order_after_the_end_is_the_seat_order(at_round_limit: str) -> None:
    env = space_mission_v0.env(num_players=3, rules={"max_rounds": 2}, at_round_limit=at_round_limit)
    seen = []
    for agent, last in played_aec(env, 5, at_random(np.random.default_rng(0))):
        observation, _, terminated, truncated, info = last
        if terminated or truncated:
            assert (terminated, truncated) == (at_round_limit == "terminate", at_round_limit == "truncate")
            assert info["reason"] == "truncated"
            assert info["scores"]["total"] is not None
            assert not observation["action_mask"].any()
            seen.append(agent)
    assert seen == ["player_0", "player_1", "player_2"]


def test_only_the_player_to_move_has_a_mask() -> None:
    env = space_mission_v0.env(num_players=4)
    env.reset(seed=3)
    for agent in env.agents:
        assert env.observe(agent)["action_mask"].any() == (agent == env.agent_selection)


def test_illegal_raise_changes_nothing_and_says_why() -> None:
    env = space_mission_v0.env(num_players=2)
    env.reset(seed=3)
    before = env.unwrapped.game.states.tobytes()
    with pytest.raises(
        IllegalActionError, match=r"action 89 \(discover\) is illegal: the ship is on the jump gate"
    ):
        env.step(89)
    assert env.unwrapped.game.states.tobytes() == before
    env.step(0)


def test_illegal_lose_ends_the_game_for_the_offender() -> None:
    env = space_mission_v0.env(num_players=3, illegal="lose")
    env.reset(seed=3)
    offender = env.agent_selection
    env.step(TAKE)
    assert all(env.terminations.values())
    returns = {}
    for agent in env.agent_iter():
        _, reward, terminated, _, info = env.last()
        assert terminated
        returns[agent] = reward
        assert ("illegal" in info) == (agent == offender)
        env.step(None)
    assert returns.pop(offender) == -1
    assert list(returns.values()) == [0.5, 0.5]


@pytest.mark.parametrize("copy_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_in_the_middle_of_the_game(copy_of: Callable[[AECEnv], AECEnv]) -> None:
    env = space_mission_v0.env(num_players=3)
    env.reset(seed=9)
    for _ in range(30):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
    other = copy_of(env)
    assert other.unwrapped.game.states.tobytes() == env.unwrapped.game.states.tobytes()
    for _ in range(30):
        action = int(np.flatnonzero(env.last()[0]["action_mask"])[-1])
        env.step(action)
        assert other.agent_selection != "" and np.flatnonzero(other.last()[0]["action_mask"])[-1] == action
        other.step(action)
    assert other.unwrapped.game.states.tobytes() == env.unwrapped.game.states.tobytes()


def test_reset_goes_on_with_the_following_game() -> None:
    seeds = []
    for _ in range(2):
        env = space_mission_v0.raw_env(num_players=2)
        env.reset(seed=11)
        run = [env.game.seed]
        for _ in range(3):
            env.reset()
            run.append(env.game.seed)
        seeds.append(run)
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 4


def test_a_setup_can_be_laid() -> None:
    env = space_mission_v0.raw_env(num_players=2)
    env.reset(seed=11)
    setup = env.game.setup_json()
    other = space_mission_v0.raw_env(num_players=2)
    other.reset(seed=99, options={"setup": setup})
    assert other.game.setup_json() == setup
    assert np.array_equal(other.observe("player_1")["observation"], env.observe("player_1")["observation"])


def test_render_shows_one_seats_view() -> None:
    env = space_mission_v0.env(num_players=3, render_mode="ansi", render_seat=1)
    env.reset(seed=2)
    text = env.render()
    game = env.unwrapped.game
    for seat in range(3):
        hand = [game.components.cards[c].id for c in game.states[0].hand[seat]]
        assert all(card in text for card in hand) == (seat == 1)


@pytest.mark.parametrize("name", game_names())
def test_the_state_of_an_aec_environment_is_what_all_seats_see(name: str) -> None:
    env = aec.env(name, num_players=2)
    raw = env.unwrapped
    with pytest.raises(SetupError, match="not been reset"):
        raw.state()
    size = find_game(name).observation_size
    for agent, _ in played_aec(env, 3, lambda mask: int(np.flatnonzero(mask)[-1]), 40):
        state = env.state()
        assert state.shape == (2 * size,) and state in env.state_space
        for one, part in zip(env.possible_agents, np.split(state, 2), strict=True):
            assert np.array_equal(part, env.observe(one)["observation"])
        seat = raw.seats[agent]
        other = raw.game.determinize(seat, 5)
        assert np.array_equal(other.observe(seat), np.split(state, 2)[seat])


# ---------------------------------------------------------------- Gymnasium, single and vector


def single_and_vector(mode: str, num_envs: int = 3, **options: object) -> tuple[list[LearnerEnv], VectorEnv]:
    singles = [gymnasium.make("SpaceMission-v0", **options).unwrapped for _ in range(num_envs)]
    return singles, make_vector(num_envs, autoreset_mode=mode, **options)


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2, "opponents": "random", "rules": {"max_rounds": 6}},
        {
            "num_players": 4,
            "opponents": ["greedy", "random", "greedy"],
            "rules": {"max_rounds": 10},
            "reward": "rank",
            "at_round_limit": "truncate",
        },
        {
            "num_players": 3,
            "opponents": ["greedy=0.5,random=0.5", "random"],
            "rules": {"max_rounds": 8},
            "shaping": 2.0,
            "shaping_discount": 0.9,
        },
        {
            "num_players": 3,
            "opponents": "greedy",
            "rules": {"space_tiles_to_end": 2, "max_rounds": 30},
            "seat": 1,
        },
    ],
)
def test_the_vector_environment_plays_the_games_of_the_single_one(mode: str, options: Json) -> None:
    singles, vector = single_and_vector(mode, **options)
    observations, infos = vector.reset(seed=40)
    for i, env in enumerate(singles):
        first, _ = env.reset(seed=40 + i)
        assert np.array_equal(first, observations[i])
    rng = np.random.default_rng(1)
    ended = np.zeros(3, bool)
    games_ended = 0
    for _ in range(250):
        masks = vector.action_masks()
        keys = rng.integers(0, 2**40, 3)
        actions = np.array([uniform(m, int(k)) if m.any() else 0 for m, k in zip(masks, keys, strict=True)])
        observations, rewards, terminations, truncations, infos = vector.step(actions)
        for i, env in enumerate(singles):
            if mode == "next_step" and ended[i]:
                expected, info = env.reset()
                reward, terminated, truncated = 0.0, False, False
            else:
                expected, reward, terminated, truncated, info = env.step(actions[i])
            games_ended += terminated or truncated
            assert (rewards[i], terminations[i], truncations[i]) == (reward, terminated, truncated)
            ended[i] = terminated or truncated
            if ended[i]:
                final = infos["final_info"] if mode == "same_step" else infos
                assert (final["scores"][i], final["reason"][i]) == (info["scores"], info["reason"])
                assert ("margin" in final) == ("margin" in info)
                assert "margin" not in info or final["margin"][i] == np.float32(info["margin"])
                if mode == "same_step":
                    assert np.array_equal(infos["final_obs"][i], expected)
                    expected, info = env.reset()
            assert np.array_equal(observations[i], expected)
            assert np.array_equal(vector.action_masks()[i], info["action_mask"].astype(bool))
            assert np.array_equal(infos["action_mask"][i], info["action_mask"])
            assert ("margin" in infos) == ("margin" in info)
            assert "margin" not in info or infos["margin"][i] == np.float32(info["margin"])
    assert games_ended >= 3
    expected_mode = AutoresetMode.SAME_STEP if mode == "same_step" else AutoresetMode.NEXT_STEP
    assert vector.metadata["autoreset_mode"] == expected_mode


def test_vector_spaces_hold_what_it_returns() -> None:
    _, vector = single_and_vector("same_step", num_envs=5)
    observations, infos = vector.reset(seed=1)
    assert vector.observation_space.contains(observations)
    assert vector.single_observation_space.shape == observations.shape[1:]
    vector.action_space.seed(1)
    actions = np.array([vector.single_action_space.sample(mask) for mask in infos["action_mask"]])
    assert vector.action_space.contains(actions)
    observations, rewards, terminations, truncations, _ = vector.step(actions)
    assert vector.observation_space.contains(observations)
    assert rewards.shape == terminations.shape == truncations.shape == (5,)


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_vector_illegal_lose_ends_that_game_only(mode: str) -> None:
    _, vector = single_and_vector(mode, illegal="lose")
    _, infos = vector.reset(seed=1)
    actions = np.array([0, 100, 0])
    _, rewards, terminations, _, _ = vector.step(actions)
    assert rewards.tolist() == [0, -1, 0]
    assert terminations.tolist() == [False, True, False]
    assert vector.action_masks()[1].any() == (mode == "same_step")
    _, rewards, terminations, _, infos = vector.step(np.zeros(3, np.int64))
    assert rewards.tolist() == [0, 0, 0]
    assert infos["action_mask"].any(1).all()


@pytest.mark.parametrize("seat", [0, 1, None])
def test_the_learner_sits_where_asked(seat: int | None) -> None:
    env = gymnasium.make("SpaceMission-v0", num_players=2, seat=seat).unwrapped
    seats = {env.reset(seed=s)[1]["seat"] for s in range(20)}
    assert seats == ({0, 1} if seat is None else {seat})


def test_the_learners_step_covers_the_end_in_another_seats_turn() -> None:
    """A game may end in any seat's turn; the learner's last step always has its final reward."""
    ended_by_other = 0
    for seed in range(40):
        env = gymnasium.make(
            "SpaceMission-v0", num_players=3, rules={"max_rounds": 3}, reward="rank"
        ).unwrapped
        _, info = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, info = env.step(uniform(info["action_mask"], seed << 20))
            total += reward
            over = terminated or truncated
        ended_by_other += int(env.game.states[0].player) != env.seat
        assert total == pytest.approx(env.game.rewards(1)[env.seat])
        with pytest.raises(IllegalActionError, match="over"):
            env.step(0)
    assert ended_by_other > 5


def test_the_package_names_its_public_parts() -> None:
    assert spacemission_env.make_agent("random") is not None
    assert spacemission_env.Rules().hand_size == 5
    with pytest.raises(AttributeError):
        _ = spacemission_env.nothing_of_the_kind
    assert issubclass(IllegalActionError, SpaceMissionError)


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
