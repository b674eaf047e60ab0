"""Afterstates of any game: what is read is known, the mean over worlds, the network with and without rows."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from spacemission_agents.afterstates import network as compiled
from spacemission_agents.afterstates.moves import (
    DEPTH,
    SURE,
    TEMPERATURE,
    WORLD_STREAM,
    Afterstates,
    Evaluator,
    bind_afterstates,
    observed_features,
)
from spacemission_agents.afterstates.network import GROUP, INPUT, RATED_INPUT, Features
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.layout import Piece, placed, scale_of
from spacemission_env.core.rng import hash63
from spacemission_train.networks import Value
from tests.support.any_afterstates import (
    afterstates,
    features_of,
    form_of,
    judged,
    names,
    positions,
    random_arrays,
    with_players,
)
from tests.support.random_play import EVERYTHING

pytestmark = pytest.mark.slow

COUNT = 24  # positions of a game


# ------------------------------------------------------------ secrecy


SHOWN = ("reserved_tiles_visible", "space_tile_penalty", "scan_face_up")  # options of what seats may know
RULED = [
    ("space_mission", players, rules)
    for players in (2, 3, 4, 5)
    for rules in (*(f"max_rounds=6,{option}=on" for option in SHOWN), EVERYTHING)
]


@pytest.mark.parametrize(
    ("name", "players", "rules"),
    [*((name, players, None) for name, players in with_players()), *RULED],
)
def test_what_is_read_and_said_is_the_same_in_all_worlds_that_are_possible(
    name: str, players: int, rules: object
) -> None:
    of = afterstates(name)
    net, apart, moves_apart = of.new_network(random_arrays(of)), 0, 0
    for n, game in enumerate(positions(name, players, COUNT, rules=rules)):
        before, seat = game.states.tobytes(), int(game.player)
        actions, logits = judged(of, game, net)
        read = net.features[: len(actions)].copy() if of.worlds == 1 else None
        moves_apart += np.ptp(logits) > 1e-3
        for k in range(3):
            world = game.determinize(seat, 100 * n + k)
            assert world.decision_key() == game.decision_key()
            found = judged(of, world, net)
            assert found[0] == actions and found[1].tolist() == logits.tolist()
            if read is not None:
                assert (net.features[: len(actions)] == read).all()
            others = [j for j in range(players) if j != seat]
            apart += any(world.information_state_key(j) != game.information_state_key(j) for j in others)
        for j in range(players):
            seen = features_of(of, game, j)
            for k in range(3):
                assert (features_of(of, game.determinize(j, 7 * n + k), j) == seen).all()
        assert game.states.tobytes() == before, "the game itself has been played on"
    assert apart > COUNT, "hardly any world is another game"
    assert moves_apart > COUNT / 4, "hardly any move is worth more than another"


@pytest.mark.parametrize("name", names())
def test_seats_know_different_things(name: str) -> None:
    of = afterstates(name)
    for game in positions(name, 2, 4):
        assert (features_of(of, game, 0) != features_of(of, game, 1)).any()


# ------------------------------------------------------------ the mean over worlds


def share_of_win(game: Game, seat: int) -> float:
    """The exact share of the win at the end of a game; equal without a winner."""
    ranks, over = game.spec.ranks(game.scores())[None], np.array([game.states[0].over])
    won = game.spec.winners(ranks, over)[0]
    return float(won[seat] / won.sum()) if won.any() else 1 / game.num_players


def observed(game: Game, seat: int) -> np.ndarray:
    """The compact observation with the pieces of the table one after another (no game here has rows)."""
    spec, n = game.spec, game.spec.observation_size
    seen, mask = np.zeros((1, n), np.uint8), np.zeros((1, spec.action_count), np.int8)
    batch = spec.batch.compact_seats_view_batch
    assert batch(game.states, game.parameters, np.array([seat]), 1, seen, mask) == -1
    return np.pad(seen[0], (0, -n % GROUP))


def read_after(of: Afterstates, game: Game, after: Game, action: int, pending: int) -> np.ndarray:
    """The features of the afterstate of a move, as the seat that moved knows it."""
    seat, ratings = int(game.player), of.new_ratings()
    x = observed(after, seat) if of.names["SOURCES"].size else features_of(of, after, seat, pending)
    of.names["rate_moves"](game.states[0], game.t, ratings)
    of.names["write_rating"](action, ratings, x[of.features.ratings :])
    return x


def share_by_hand(value: Value, x: np.ndarray) -> float:
    with torch.no_grad():
        return float(torch.sigmoid(value(torch.from_numpy(x[None]))[0, 0].double()))


def is_unsettled(of: Afterstates, after: Game, seat: int, pending: int) -> bool:
    mine = not after.over and after.player == seat and pending == 0
    return mine and not of.names["is_settled"](after.states[0], after.t, seat)


def best_by_hand(of: Afterstates, game: Game, value: Value, depth: int = 0) -> float:
    """The share of the win after the best move of the seat to act, behind `depth` other decisions."""
    shares, seat = [], int(game.player)
    for action in game.legal_actions():
        after = game.clone()
        pending = of.names["begin_move"](after.states[0], after.t, action)
        if after.over:
            shares.append(share_of_win(after, seat))
        elif depth + 1 < DEPTH and is_unsettled(of, after, seat, pending):
            shares.append(best_by_hand(of, after, value, depth + 1))
        else:
            shares.append(share_by_hand(value, read_after(of, game, after, action, pending)))
    return max(shares)


def mean_by_hand(of: Afterstates, game: Game, value: Value) -> tuple[list[float], Counter[str]]:
    """The mean share of the win after each legal move, by the public methods of games and by
    those of the afterstates; and how many ended or were not settled."""
    seat, key, shares, met = int(game.player), game.decision_key(), [], Counter[str]()
    worlds = [game.determinize(seat, int(hash63(key, k, WORLD_STREAM))) for k in range(of.worlds)]
    for action in game.legal_actions():
        told: list[float] = []
        read: list[np.ndarray] = []
        for k, world in enumerate(worlds):
            after = world.clone()
            pending = of.names["begin_move"](after.states[0], after.t, action)
            certain = k == 0 and of.names["is_certain"](world.states[0], after.states[0])
            if after.over:
                told.append(share_of_win(after, seat))
                met["ended"] += 1
            elif is_unsettled(of, after, seat, pending):
                told.append(best_by_hand(of, after, value))
                met["unsettled"] += 1
            else:
                read.append(read_after(of, world, after, action, pending))
                if k == 1 and len(read) == 2 and (read[0] == read[1]).all():
                    break  # the same in two worlds
                told.append(share_by_hand(value, read[-1]))
            if certain:
                break
        shares.append(min(max(float(np.mean(told)), SURE), 1 - SURE))
    return shares, met


SEARCHER: Any = SimpleNamespace(needs={"worlds"})
SEVERAL = [(name, n) for name, n in with_players() if afterstates(name).worlds > 1]


@pytest.mark.parametrize(("name", "players"), SEVERAL)
def test_a_move_is_worth_the_mean_over_worlds_and_an_end_its_exact_share(name: str, players: int) -> None:
    of, arrays = afterstates(name), random_arrays(afterstates(name))
    value = Value(of.features, form_of(of))
    value.set_arrays(arrays)
    net, met, between = of.new_network(arrays), Counter[str](), 0
    evaluator = Evaluator(net, of.new_scratch())
    for game in positions(name, players, 12, seed=5):
        shares, found = mean_by_hand(of, game, value)
        actions, logits = judged(of, game, net)
        assert actions == game.legal_actions()
        assert 1 / (1 + np.exp(-logits)) == pytest.approx(shares, abs=2e-4)
        met.update(found)
        between += sum(0.01 < share < 0.99 for share in shares)
        asked = game.ask().part(SEARCHER, np.zeros(1, np.int64))  # as an agent plays, in another world
        chosen, said = of.run_rows(asked, evaluator, False)
        assert TEMPERATURE * said[0, actions] == pytest.approx(shares, abs=2e-4)
        assert said[0, chosen[0]] == said[0, actions].max()
    assert met["ended"] > 0 and between > 10, (met, between)
    assert (met["unsettled"] > 10) == (name == "planet_hexx"), met


def test_a_move_is_made_in_as_many_worlds_as_are_asked_for() -> None:
    """Each binding compiles its own code, also from the cache."""
    spec, told = find_game("kuhn_poker"), []
    arrays = random_arrays(afterstates("kuhn_poker"))
    for worlds in (2, 9):
        of = bind_afterstates(spec, worlds=worlds)
        value = Value(of.features, form_of(of))
        value.set_arrays(arrays)
        net = of.new_network(arrays)
        for game in positions("kuhn_poker", 3, 40):
            shares, _ = mean_by_hand(of, game, value)
            assert 1 / (1 + np.exp(-judged(of, game, net)[1])) == pytest.approx(shares, abs=2e-4)
            told.append(shares)
    assert told[:40] != told[40:]


# ------------------------------------------------------------ the network


def sizes(rows: int, marks: tuple[int, ...] = (), ratings: int = 0, outputs: int = 1) -> Features:
    rng = np.random.default_rng(rows)
    scales = [rng.uniform(0.05, 0.5, size).astype(np.float32) for size in (16, 24, ratings)]
    return Features(rows, *scales, marks, tuple(map(str, range(outputs))))


NETWORKS: dict[str, tuple[Features, str]] = {
    "no rows": (sizes(0), INPUT),
    "no rows, rated": (sizes(0, ratings=8, outputs=2), RATED_INPUT),
    "rows": (sizes(3, outputs=3), INPUT),
    "one mark": (sizes(4, (2,)), INPUT),
    "marks, rated": (sizes(5, (0, 7), 16, 2), RATED_INPUT),
    "ratings that are not read": (sizes(2, (1,), 8), INPUT),
}


def random_features(of: Features, count: int, seed: int) -> np.ndarray:
    """Features of moves: mostly alike, and rows that are empty before, after, or always."""
    rng = np.random.default_rng(seed)
    x = np.repeat(rng.integers(0, 4, (1, of.size)), count, 0)
    x = np.where(rng.random(x.shape) < 0.2, rng.integers(0, 256, x.shape), x).astype(np.uint8)
    rows = x[:, : of.table].reshape(count, of.rows, len(of.row_scales))
    rows[rng.random((count, of.rows)) < 0.3] = 0
    rows[count // 2] = 0  # all
    if of.rows and seed % 2:
        rows[0, -1] = 0  # in the kept sums
    return x


@pytest.mark.parametrize("name", NETWORKS)
def test_torch_and_compiled_code_say_the_same(name: str) -> None:
    of, reads = NETWORKS[name]
    torch.manual_seed(3)
    form = {"hidden": [9, 10], "input": reads, "planets": 7 if of.rows else 0}
    value = Value(of, form)
    for tensor in value.parameters():
        torch.nn.init.normal_(tensor, std=0.15)
    arrays = value.arrays()
    assert {k: v.shape for k, v in arrays.items()} == compiled.shapes(of, form)
    net, spread = compiled.new_network(of, 40, arrays), 0.0
    for seed in range(6):
        x = random_features(of, 40, seed)
        if reads == INPUT:
            x[:, of.ratings :] = 0
        net.features[:] = x
        compiled.begin_sums(net, net.features[0])
        for n in range(40):
            compiled.read_move(net, n)
        logits = np.zeros(40)
        compiled.write_logits(net, 40, logits)
        with torch.no_grad():
            told = value(torch.from_numpy(x))[:, 0].numpy()
        assert logits == pytest.approx(told, rel=1e-3, abs=2e-3)
        spread = max(spread, float(np.ptp(told)))
    assert spread > 0.5


# ------------------------------------------------------------ the observation as features

LAYOUT = placed(
    Piece("turn", (3,), 4, "", "", ""),
    Piece("cells", (5, 2, 3), 2, "", "", "", rows=True),
    Piece("hand", (2, 4), "unit", "", "", ""),
    Piece("marks", (5,), "unit", "", "", "", rows=True),
)


def spec_of(layout: dict[str, Piece]) -> Any:
    """As much of a game as `observed_features` reads."""
    units = scale_of(layout, {"unit": 5.0})
    return SimpleNamespace(layout=layout, compact_units=lambda _: units, default_parameters=lambda: None)


def test_rows_of_the_layout_become_rows_of_features() -> None:
    sources, of = observed_features(spec_of(LAYOUT))
    assert (of.rows, len(of.row_scales), len(of.table_scales)) == (5, 8, 16) and of.size == len(sources)
    numbers = np.random.default_rng(1).integers(1, 99, sum(piece.size for piece in LAYOUT.values()))
    x = np.where(sources >= 0, numbers[sources], 0)
    turn, cells, hand, marks = (numbers[p.slice].reshape(p.shape) for p in LAYOUT.values())
    for row in range(5):
        expected = [*cells[row].ravel(), marks[row], 0]
        assert x[row * 8 : (row + 1) * 8].tolist() == expected
    assert x[of.table :].tolist() == [*turn, *hand.ravel(), *[0] * 5]
    assert of.row_scales == pytest.approx([1 / 2] * 6 + [1 / 5, 0])
    assert of.table_scales == pytest.approx([1 / 4] * 3 + [1 / 5] * 8 + [0] * 5)
