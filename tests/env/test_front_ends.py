"""Front ends pass other projects' checks, pay the right rewards, and play equal games."""

import copy
import pickle
import warnings
from collections.abc import Callable
from itertools import chain
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import VectorEnv
from pettingzoo import AECEnv
from pettingzoo.test import api_test, seed_test

from spacemission_env import Game, make_agent, space_mission_v0
from spacemission_env.core.errors import IllegalActionError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.core.reading import Json
from spacemission_env.frontends import aec, vector_env
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_env.games.space_mission.engine.constants import TAKE
from spacemission_env.leaktest.environments import clone
from spacemission_env.pictures import raster
from tests.support import low_card
from tests.support.every_front_end import FRONT_ENDS, go_on, play
from tests.support.front_ends import assert_same, make_vector, played_aec, sync_vector
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


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("options", [{}, {"observation": "table", "reward": "rank"}, {"shaping": 3.0}])
def test_pettingzoo_api_test(name: str, options: Json) -> None:
    reward = find_game(name).payoff if "rank" not in find_game(name).reward_names else "rank"
    given = {**options, **({"reward": reward} if "reward" in options else {})}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(aec.env(name, num_players=find_game(name).max_players, **given), num_cycles=300)
    assert user_warnings(caught) <= EXPECTED_API_WARNINGS


def test_pettingzoo_seed_test() -> None:
    seed_test(lambda: space_mission_v0.env(num_players=3), num_cycles=300)


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_gymnasium_and_sb3_env_checkers(opponents: str) -> None:
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    # The checkers ignore the mask, so illegal actions must be accepted: illegal="lose".
    env = gymnasium.make("SpaceMission-v0", opponents=opponents, illegal="lose", render_mode="ansi")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
        sb3.check_env(env.unwrapped)
    assert user_warnings(caught) == set()


def test_registered_with_pettingzoo_where_it_has_a_registry() -> None:
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    spec = pettingzoo.spec("aec", "spacemission/space_mission-v0")
    assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec
    for made in (pettingzoo.make("aec", spec, num_players=4), pettingzoo.make("aec", spec.id, num_players=4)):
        made.reset(seed=1)
        assert made.possible_agents == ["player_0", "player_1", "player_2", "player_3"]


def test_everyones_first_line_of_sb3_works(monkeypatch: pytest.MonkeyPatch) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from sb3_contrib.common.maskable.utils import get_action_masks
    from stable_baselines3.common.env_util import make_vec_env

    env = make_vec_env("SpaceMission-v0", n_envs=2, seed=1)
    env.reset()
    masks = get_action_masks(env)
    assert masks.shape == (2, 101) and masks.any(1).all()
    sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=4, batch_size=4, n_epochs=1, device="cpu").learn(8)
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
            assert not observation["action_mask"].any()
            seen.append(agent)
    assert seen == ["player_0", "player_1", "player_2"]


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
        assert bool(info["illegal"]) == (agent == offender)
        env.step(None)
    assert returns.pop(offender) == -1
    assert list(returns.values()) == [0.5, 0.5]


@pytest.mark.parametrize("copy_of", [copy.deepcopy, clone, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("name", FRONT_ENDS)
def test_copies_go_on_in_the_middle_of_the_game(
    name: str, copy_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_env, "PART_GAMES", 2)
    front_end = FRONT_ENDS[name](make_agent("random"), num_players=3)
    play(front_end, 9)
    other = type(front_end)(copy_of(front_end.env))
    expected = go_on(front_end, 2)
    assert_same(go_on(other, 2), expected)
    front_end.env.reset()
    other.env.reset()
    assert_same(go_on(other, 3, 2), go_on(front_end, 3, 2))


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_what_is_handed_out_stays_as_it_was(name: str) -> None:
    front_end = FRONT_ENDS[name](make_agent("greedy"), num_players=2, rules={"max_rounds": 3})
    held = [front_end.reset(2), front_end.masks()]
    was = copy.deepcopy(held)
    for step in range(20):
        given = [*go_on(front_end, step, 1), front_end.masks()]
        held += given
        was += copy.deepcopy(given)
    assert_same(held, was)


def test_specs_come_back_equal_and_make_the_same_environment() -> None:
    single = gymnasium.make("SpaceMission-v0", num_players=4)
    many = make_vector(2, autoreset_mode="next_step", num_players=4)
    for spec in (single.spec, many.spec):
        assert spec is not None and EnvSpec.from_json(spec.to_json()) == spec
        assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec
    assert gymnasium.make(single.spec).spec == single.spec  # type: ignore[arg-type]
    again = gymnasium.make_vec(many.spec)  # type: ignore[arg-type]
    assert again.spec == many.spec and again.metadata == many.metadata
    assert_same(again.reset(seed=1), many.reset(seed=1))


def test_illegal_moves_are_refused_with_the_place_of_the_mask() -> None:
    for env, where in (
        (LearnerEnv(), "info"),
        (space_mission_v0.env(), "observation"),
        (make_vector(1), "infos"),
    ):
        env.reset(seed=1)
        with pytest.raises(
            IllegalActionError, match=rf'1 in {where}\["action_mask"\]; with illegal="lose" the game'
        ):
            env.step(np.array([100]) if isinstance(env, VectorEnv) else 100)  # type: ignore[attr-defined]


def test_a_setup_can_be_laid() -> None:
    env = space_mission_v0.raw_env(num_players=2)
    env.reset(seed=11)
    setup = env.game.setup_json()
    other = space_mission_v0.raw_env(num_players=2)
    other.reset(seed=99, options={"setup": setup})
    assert other.game.setup_json() == setup
    assert np.array_equal(other.observe("player_1")["observation"], env.observe("player_1")["observation"])


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
        assert np.array_equal(raw.game.observe(raw.seats[agent]), np.split(state, 2)[raw.seats[agent]])


# ---------------------------------------------------------------- Gymnasium, single and vector


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
            "illegal": "lose",
        },
        {
            "num_players": 3,
            "opponents": "greedy",
            "rules": {"space_tiles_to_end": 2, "max_rounds": 30},
            "seat": 1,
        },
    ],
)
def test_the_vector_environment_is_a_sync_vector_env_of_single_ones(mode: str, options: Json) -> None:
    sync, vector = sync_vector(3, mode, **options), make_vector(3, autoreset_mode=mode, **options)
    assert vector.metadata["autoreset_mode"] == sync.metadata["autoreset_mode"]
    expected = sync.reset(seed=40)
    assert_same(vector.reset(seed=40), expected)
    rng = np.random.default_rng(1)
    ended = np.zeros(3, bool)
    games_ended = illegal = 0
    for step in range(250):
        masks = vector.action_masks()
        assert_same(masks, expected[-1]["action_mask"].astype(bool))
        keys = rng.integers(0, 2**40, 3)
        actions = np.array([uniform(m, int(k)) if m.any() else 0 for m, k in zip(masks, keys, strict=True)])
        if "illegal" in options and step % 7 == 0:
            actions[:] = rng.integers(-1, masks.shape[1], 3)
        expected = sync.step(actions)
        assert_same(vector.step(actions), expected)
        ended = expected[2] | expected[3]
        games_ended += ended.sum()
        final = expected[4].get("final_info", {}) if mode == "same_step" else expected[4]
        illegal += sum(1 for reason in final.get("illegal", ()) if reason)
    assert games_ended >= 3 and (illegal > 0) == ("illegal" in options)


def test_vector_spaces_hold_what_it_returns() -> None:
    vector = make_vector(5)
    observations, infos = vector.reset(seed=1)
    assert vector.observation_space.contains(observations)
    assert vector.single_observation_space.shape == observations.shape[1:]
    vector.action_space.seed(1)
    actions = np.array([vector.single_action_space.sample(mask) for mask in infos["action_mask"]])
    assert vector.action_space.contains(actions)
    observations, rewards, terminations, truncations, _ = vector.step(actions)
    assert vector.observation_space.contains(observations)
    assert rewards.shape == terminations.shape == truncations.shape == (5,)


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


def infos_of(env: AECEnv | LearnerEnv, illegal: bool) -> list[list[Json]]:
    """The infos of each step of a game of three rounds, by agent; the last move may be illegal."""
    given = []
    if isinstance(env, LearnerEnv):
        given.append([env.reset(seed=1)[1]])
        over = False
        while not over:
            _, _, over, _, info = env.step(100 if illegal else int(np.flatnonzero(env.action_masks())[0]))
            given.append([info])
        return given
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(100 if illegal else int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
        given.append(list(env.infos.values()))
    return given


def flat(info: Json) -> list[tuple[str, Any]]:
    """The entries, with those of dicts in it."""
    inner = [
        (f"{name} {key}", one)
        for name, entry in info.items()
        if type(entry) is dict
        for key, one in entry.items()
    ]
    return [(name, entry) for name, entry in info.items() if type(entry) is not dict] + inner


@pytest.mark.parametrize("illegal", [False, True])
@pytest.mark.parametrize("make", [aec.env, LearnerEnv])
def test_infos_have_the_same_entries_at_every_step(make: Callable[..., Any], illegal: bool) -> None:
    env = make(num_players=3, rules={"max_rounds": 3}, illegal="lose", shaping=1.0)
    *before, last = infos_of(env, illegal)
    forms = [
        {name: (np.shape(entry), np.asarray(entry).dtype.kind) for name, entry in flat(info)}
        for info in chain(last, *before)
    ]
    assert all(form == forms[0] for form in forms)
    for info in chain(*before):  # kept by the caller while the game went on
        assert not any(
            np.any(entry) for name, entry in flat(info) if name not in ("action_mask", "margin", "seat")
        )
        assert (info["reason"], info["illegal"]) == ("", "")
    assert {info["reason"] for info in last} == {"illegal" if illegal else "truncated"}
    assert [bool(info["illegal"]) for info in last].count(True) == illegal
    game = env.unwrapped.game
    if not illegal:
        scores = last[0]["scores"] if make is LearnerEnv else [list(info["scores"].values()) for info in last]
        won = last[0]["winners"] if make is LearnerEnv else [info["winner"] for info in last]
        assert np.array_equal(scores, game.scores()) and np.flatnonzero(won).tolist() == game.winners()


def test_moves_are_told_in_words() -> None:
    game = Game(2)
    game.reset(1)
    jump = next(a for a in game.legal_actions() if game.move_text(a).startswith("jump "))
    planet, _, card = game.move_text(jump).removeprefix("jump ").rpartition(" ")
    assert game.words(jump) == f"player_{game.player} jumps to {planet} with {card}"
    for action in (89, -1, 3.7, 200):
        with pytest.raises(IllegalActionError, match=f"action {action}"):
            game.words(action)  # type: ignore[arg-type]
    with pytest.raises(SetupError, match="seat"):
        game.words(jump, seat=2)
    kuhn = make_game("kuhn_poker", 2)
    kuhn.reset(1)
    assert kuhn.words(kuhn.legal_actions()[0]) == "player_0 checks"


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_a_game_that_ends_before_the_learners_first_turn_is_followed_by_the_next(mode: str) -> None:
    options: dict[str, Any] = {
        "game": low_card.SPEC, "num_players": 3, "seat": 2,
        "opponents": lambda observation, mask, rng: rng.choice(np.flatnonzero(mask)),
    }  # fmt: skip
    single, many = LearnerEnv(**options), LearnerVectorEnv(2, autoreset_mode=mode, **options)
    skipped = 0
    for seed in range(60):
        assert single.reset(seed=seed)[1]["action_mask"].any()
        skipped += single.game.seed != seed
    assert skipped
    infos, ended = many.reset(seed=0)[1], np.zeros(2, bool)
    for _ in range(300):
        assert (infos["action_mask"].any(1) | ended).all()
        actions = infos["action_mask"].argmax(1)
        _, _, terminated, truncated, infos = many.step(actions)
        ended = (terminated | truncated) if mode == "next_step" else ended
