"""Compact observations times their units equal the float observations."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from spacemission_env.core.agents import make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game_spec import game_names
from spacemission_env.core.masks import choose_uniform
from spacemission_env.core.reading import Json
from spacemission_env.frontends import vector_env
from spacemission_env.games.space_mission.engine.layout import EXPECTED, LAYOUT, OBSERVATION_SIZE
from tests.support.every_front_end import FRONT_ENDS, play
from tests.support.front_ends import assert_same
from tests.support.random_components import random_box

HALF_A_STEP = 0.5 / 255 + 1e-6
RULES = (
    "printed,max_rounds=255",
    "yucata,max_rounds=40",
    "space_tile_penalty=on,scan_face_up=on",
    "empty_top_up=off,chips_per_player=2",
)
MEANS = np.concatenate([np.arange(OBSERVATION_SIZE)[LAYOUT[name].slice] for name in EXPECTED])
WHOLE = np.setdiff1d(np.arange(OBSERVATION_SIZE), MEANS)


def pair(count: int, *args: object, **options: object) -> tuple[BatchedGames, BatchedGames]:
    """The same games with float and with compact observations."""
    tables = BatchedGames(count, *args, **options), BatchedGames(count, *args, dtype="uint8", **options)
    for table in tables:
        for i in range(count):
            table.deal(i, 77 + i)
    return tables


def positions(floats: BatchedGames, compact: BatchedGames) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Both observations at each decision of whole games; the masks must be equal."""
    index = floats.everyone
    actions = np.zeros(len(index), np.int64)
    while len(index):
        numbers, masks = floats.view(index)
        small, its_masks = compact.view(index)
        assert np.array_equal(masks, its_masks)
        assert (numbers.dtype, small.dtype) == (np.float32, np.uint8)
        yield numbers, small
        moves = actions[: len(index)]
        choose_uniform(masks, floats.keys(index), moves)
        for table in (floats, compact):
            table.step(index, moves)
        index = index[~floats.over[index]]
    assert floats.states.tobytes() == compact.states.tobytes()


@pytest.mark.parametrize(("players", "rules"), list(zip((2, 3, 4, 5), RULES, strict=True)))
@pytest.mark.parametrize("box", [None, 5])
@pytest.mark.parametrize("observation", ["perfect_recall", "table"])
def test_times_its_units_it_is_the_float_observation(
    observation: str, box: int | None, rules: str, players: int
) -> None:
    floats, compact = pair(6, players, rules, None if box is None else random_box(box), observation)
    units = compact.units
    assert (units.dtype, units.shape) == (np.float32, (OBSERVATION_SIZE,))
    scale = floats.template.t.scale
    most = np.zeros(OBSERVATION_SIZE, np.uint8)
    for numbers, small in positions(floats, compact):
        worth = small * units
        assert np.array_equal(worth[:, WHOLE], numbers[:, WHOLE])
        assert np.abs(worth[:, MEANS] - numbers[:, MEANS]).max() <= HALF_A_STEP
        counted = np.rint(numbers[:, WHOLE] / scale[WHOLE])
        assert np.array_equal(small[:, WHOLE], counted)
        most = np.maximum(most, small.max(axis=0))
    told = most[LAYOUT["taken_kinds"].slice].any()
    assert told or observation == "table" or players == 2 or "chips" in rules  # else tiles are rarely taken
    assert not told or observation == "perfect_recall"
    assert most[LAYOUT["discard"].slice].any()


@pytest.mark.parametrize("max_rounds", [256, 300, 10_000])
def test_rounds_that_do_not_fit_into_a_byte_are_in_255ths(max_rounds: int) -> None:
    floats, compact = pair(4, 2, {"max_rounds": max_rounds})
    places = LAYOUT["round"].start, LAYOUT["max_rounds"].start
    for table in (floats, compact):
        table.states["round_number"] = [1, max_rounds // 3, max_rounds - 1, max_rounds]
    worth = compact.view(compact.everyone)[0] * compact.units
    numbers = floats.view(floats.everyone)[0]
    assert np.abs(worth - numbers)[:, places[0]].max() <= HALF_A_STEP
    assert worth[:, places[1]] == pytest.approx(numbers[:, places[1]], rel=1e-6)
    assert compact.view(compact.everyone)[0][:, places[0]].max() == 255
    others = np.setdiff1d(WHOLE, places)
    assert np.array_equal(worth[:, others], numbers[:, others])


def test_all_games_have_it() -> None:
    for name in game_names():
        floats, compact = pair(50, 2, game=name)
        spec = floats.spec
        means = spec.name == "space_mission"
        kept = WHOLE if means else np.arange(spec.observation_size)
        for numbers, small in positions(floats, compact):
            assert np.array_equal((small * compact.units)[:, kept], numbers[:, kept])


def test_agents_are_asked_with_floats_and_learners_see_bytes() -> None:
    floats, compact = pair(5, 3)
    assert np.array_equal(compact.ask(compact.everyone).observations, floats.view(floats.everyone)[0])
    assert compact.view(compact.everyone)[0].dtype == np.uint8
    assert (floats.units == 1).all()


def whole(given: Any, units: np.ndarray) -> Any:
    """What a front end gives, with the whole numbers alone of each observation, in their units."""
    if isinstance(given, dict):
        return {key: whole(one, units) for key, one in given.items()}
    if isinstance(given, tuple | list) or (isinstance(given, np.ndarray) and given.dtype.kind == "O"):
        return [whole(one, units) for one in given]
    return (given * units)[..., WHOLE] if np.shape(given)[-1:] == units.shape else given


@pytest.mark.parametrize("front", ["vector", "vector, next_step", "vector, threads", "sb3"])
@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_front_ends_give_it(opponents: str, front: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_env, "PART_GAMES", 2)
    options: Json = {"num_players": 3, "rules": {"max_rounds": 5}}
    floats, compact = (
        FRONT_ENDS[front](make_agent(opponents), dtype=dtype, **options) for dtype in ("float32", "uint8")
    )
    space = getattr(compact.env, "single_observation_space", compact.env.observation_space)
    assert space == gymnasium.spaces.Box(0, 255, (OBSERVATION_SIZE,), np.uint8)
    units = (compact.env.env if front == "sb3" else compact.env).units
    small, numbers = play(compact, 9, 80), play(floats, 9, 80)
    assert sum(int(step[2].sum()) for step in numbers[1:]) > 7  # type: ignore[index]
    assert_same(whole(small, units), whole(numbers, np.ones_like(units)))
