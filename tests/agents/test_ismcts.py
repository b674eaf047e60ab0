"""Search agents: secrecy, determinism, legal moves, the tree, and search with a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_agents.arena.games import play_games
from spacemission_agents.arena.schedule import round_robin
from spacemission_agents.games.space_mission.search.agent import IsmctsAgent, IsmctsPolicyAgent
from spacemission_agents.games.space_mission.search.leaf_evaluator import LAMBDA, SEEN_PLAY_ON, seen_returns
from spacemission_agents.games.space_mission.search.leaf_network import FEATURES, features, new_leaf, promise
from spacemission_agents.games.space_mission.search.networks import new_search_networks
from spacemission_agents.games.space_mission.search.rollout_policy import MOVES, new_view, njit, rollout_moves
from spacemission_agents.games.space_mission.search.tree import edge_key
from spacemission_agents.models.folder import save_model, tensor_shapes
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, MAX_PLAYERS, SCORES
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import make_rules
from tests.support.positions import other_box

pytestmark = pytest.mark.slow

AGENTS = ("random", "greedy", "heuristic", "ismcts:40", "ismcts:20x2")


def positions(players: int, count: int, seed: int) -> list[Game]:
    """Positions of random games with few top-ups."""
    rng = np.random.default_rng(seed)
    found: list[Game] = []
    while len(found) < count:
        game = Game(players)
        game.reset(int(rng.integers(2**40)))
        while not game.over and len(found) < count:
            if rng.random() < 0.25:
                found.append(game.clone())
            legal = [a for a in game.legal_actions() if a >= 32] or game.legal_actions()
            game.step(int(rng.choice(legal)))
    return found


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_no_agent_sees_what_is_hidden(name: str, players: int) -> None:
    """SM-73: an agent makes the same move in another world with the same key."""
    check_secrecy(name, players, 110)


def check_secrecy(name: str, players: int, count: int) -> None:
    agent = make_agent(name)
    for i, game in enumerate(positions(players, count, seed=players)):
        seat = int(game.states[0].player)
        move = int(act_alone(agent, game.ask(i))[0])
        other = game.determinize(seat, 1000 + i)
        assert int(act_alone(agent, other.ask(i))[0]) == move, f"{name}, position {i}: {move}"


def test_the_world_handed_over_is_not_the_true_state() -> None:
    game = positions(3, 20, seed=1)[-1]
    part = game.ask().part(IsmctsAgent("1"), np.arange(1))
    assert part.draw is None
    assert part.worlds is not None
    assert part.worlds.tobytes() != game.states.tobytes()
    seat = int(game.states[0].player)
    assert (part.worlds[0]["hand"][seat] == game.states[0]["hand"][seat]).all()


def test_moves_do_not_depend_on_batch_or_threads() -> None:
    one, two = IsmctsAgent("60", threads=1), IsmctsAgent("60", threads=2)
    games = BatchedGames(6, 2)
    for i in range(6):
        games.deal(i, i)
    asked = games.ask(games.everyone)
    part = asked.part(one, np.arange(6))
    together = one.act(part).tolist()
    assert two.act(part).tolist() == together
    assert [int(one.act(asked.part(one, np.array([i])))[0]) for i in range(6)] == together


def test_trees_of_one_decision_are_summed() -> None:
    game = positions(2, 5, seed=9)[-1]
    asked = game.ask(7)
    for simulations, trees in ((50, 1), (50, 3)):
        agent = IsmctsAgent(f"{simulations}x{trees}")
        visits = agent.visits(asked.part(agent, np.arange(1)))[0]
        assert visits.sum() == simulations * trees
        assert (visits[game.mask() == 0] == 0).all()


def test_more_simulations_and_stronger_than_greedy() -> None:
    lineups, seeds = round_robin(2, 2, 60, 11)
    results = play_games(["ismcts:100", "greedy"], lineups, seeds, workers=1)
    share = (results.shares * (results.lineups == 0)).sum() / len(seeds)
    assert share > 0.65, share


def test_own_moves_are_told_apart_by_cards_and_those_of_others_by_the_table() -> None:
    game = Game(2)
    game.reset(5)
    s = game.states[0]
    own: dict[int, set[str]] = {}
    others: dict[int, set[tuple[object, ...]]] = {}
    for action in game.legal_actions():
        move = game.move(action)
        own.setdefault(int(edge_key(s, action, True)), set()).add(str(move))
        table = (move["kind"], move.get("planet"), len(move.get("discard", [])))
        others.setdefault(int(edge_key(s, action, False)), set()).add(table)
    assert len(own) == len(game.legal_actions())
    assert all(len(moves) == 1 for moves in others.values())
    assert len(others) == len({next(iter(moves)) for moves in others.values()}) < len(own)


@njit
def list_moves(states: np.ndarray, boxes: np.ndarray, views: np.ndarray, actions: np.ndarray) -> int:
    return rollout_moves(states[0], boxes[0], views[0], True, actions, np.zeros(128))


@pytest.mark.parametrize("players", [2, 4])
def test_the_rollout_policy_knows_all_legal_moves(players: int) -> None:
    """With all sets of discards it lists exactly the legal moves."""
    views = new_view()
    for game in positions(players, 150, seed=21):
        actions = np.zeros(128, np.int64)
        count = list_moves(game.states, game.parameters, views, actions)
        assert sorted(actions[:count].tolist()) == game.legal_actions()


@njit
def promises(states: np.ndarray, boxes: np.ndarray, views: np.ndarray, leaf: Any, out: np.ndarray) -> None:
    promise(states[0], boxes[0], views[0], leaf, np.zeros((MAX_PLAYERS, SCORES), np.int64), out)


@njit
def write_features(
    states: np.ndarray, boxes: np.ndarray, views: np.ndarray, seat: int, out: np.ndarray
) -> None:
    features(states[0], boxes[0], seat, views[0], np.zeros((MAX_PLAYERS, SCORES), np.int64), out)


def late_positions(players: int) -> list[Game]:
    """Turns from the eighth round on, in games of a greedy agent against random agents."""
    one, others = make_agent("greedy"), make_agent("random")
    found = []
    for seed in range(8):
        game = Game(players)
        game.reset(seed)
        while not game.over:
            if game.rounds >= 8 and game.phase == "action":
                found.append(game.clone())
            game.step(int(act_alone(one if game.player == 0 else others, game.ask())[0]))
    return found


@pytest.mark.parametrize("players", [2, 3, 5])
def test_leaf_promises_sum_to_one_and_know_who_leads(players: int) -> None:
    views, leaf = new_view(), new_leaf()
    right = asked = 0
    for game in late_positions(players):
        out, x = np.zeros(MAX_PLAYERS), np.zeros(FEATURES, np.float32)
        promises(game.states, game.parameters, views, leaf, out)
        assert out[:players].sum() == pytest.approx(1.0)
        assert (out >= 0).all()
        write_features(game.states, game.parameters, views, 0, x)
        assert np.isfinite(x).all()
        assert np.abs(x).max() < 12
        totals = game.scores()[:, -1]
        if np.sort(totals)[-1] - np.sort(totals)[-2] > 20:
            asked += 1
            right += int(out[:players].argmax() == totals.argmax())
    assert asked > 3
    assert right >= 0.8 * asked


def network(
    seed: int, value: Json | None = None, best: dict[int, float] | None = None
) -> dict[str, np.ndarray]:
    """Random tensors; `best`: constant logits of some actions; all others are 0."""
    rng = np.random.default_rng(seed)
    shapes = tensor_shapes({"hidden": [8], **({"value": value} if value else {})})
    arrays = {name: (0.1 * rng.normal(size=shape)).astype(np.float32) for name, shape in shapes.items()}
    if best is not None:
        arrays["policy.1.weight"][:] = arrays["policy.1.bias"][:] = 0
        for action, logit in best.items():
            arrays["policy.1.bias"][action] = logit
    return arrays


def write_folder(folder: Path, arrays: dict[str, np.ndarray], value: Json | None) -> str:
    card = {
        "rules": make_rules("printed").to_json(),
        "components_sha256": load_components(None).sha256,
        "network": {"hidden": [8], "activation": "relu", **({"value": value} if value else {})},
        "training": {},
    }
    save_model(folder, arrays, card)
    return f"ismcts-policy:{folder}:30"


VALUE = {"hidden": [6], "reward": "score_margin", "shaping": 2.0, "final_potential": True}
RETURN_VALUE = {"hidden": [6], "reward": "return", "shaping": 0.0, "final_potential": False}


def test_a_policy_guides_the_search(tmp_path: Path) -> None:
    """A move with nearly all of the probability is played without a search."""
    game = Game(2)
    game.reset(3)
    wanted = game.legal_actions()[-1]
    agent = make_agent(write_folder(tmp_path / "model", network(1, best={wanted: 30}), None))
    assert isinstance(agent, IsmctsPolicyAgent)
    visits = agent.visits(game.ask().part(agent, np.arange(1)))[0]
    assert visits[wanted] == visits.sum() == 1


def test_simulations_are_shared_out_by_sequential_halving(tmp_path: Path) -> None:
    """Three rounds of a third of the simulations each, with 8, 4 and 2 moves."""
    spec = write_folder(tmp_path / "model", network(1, best={}), None)
    game = Game(2)
    game.reset(3)
    visits = {}
    for simulations in (300, 17, 7):
        agent = make_agent(spec.replace(":30", f":{simulations}"))
        visits[simulations] = agent.visits(game.ask().part(agent, np.arange(1)))[0]
    shares = np.sort(visits[300])[::-1]
    assert shares[:9].tolist() == [12 + 25 + 50 + 1, 12 + 25 + 50, 12 + 25, 12 + 25, 12, 12, 12, 12, 0]
    assert np.sort(visits[17])[::-1][:5].tolist() == [2 + 4 + 1, 2 + 4, 2, 2, 0]  # too few for more than four
    assert visits[7].sum() == 1  # too few for two: the policy's choice


def test_a_search_overrules_its_policy_among_the_moves_that_are_near(tmp_path: Path) -> None:
    """The first move is half a logit above the second; all others are 7.5 logits below."""
    overruled = 0
    for i, game in enumerate(positions(2, 12, seed=2)):
        first, second = game.legal_actions()[-1], game.legal_actions()[0]
        arrays = network(1, best={first: 8.0} | ({second: 7.5} if second != first else {}))
        agent = make_agent(write_folder(tmp_path / f"model{i}", arrays, None))
        chosen = int(act_alone(agent, game.ask(0))[0])
        assert chosen in (first, second)
        overruled += chosen == second != first
    assert 0 < overruled < 12


def test_a_critic_tells_the_returns(tmp_path: Path) -> None:
    """With the same policy, another critic leads to other visits."""
    arrays = network(1, VALUE, best={})
    games = positions(2, 30, seed=2)[-6:]
    seen = []
    for scale in (0.0, 40.0):
        changed = {k: a * scale if k.startswith("value.1") else a for k, a in arrays.items()}
        agent = make_agent(write_folder(tmp_path / f"model{scale}", changed, VALUE).replace(":30", ":300"))
        seen.append([agent.visits(game.ask().part(agent, np.arange(1)))[0] for game in games])
    assert (np.array(seen[0]) != np.array(seen[1])).any()


def scratch() -> tuple[np.ndarray, ...]:
    """Scratch arguments of `seen_returns`, from the mask to the scores."""
    moves = np.zeros(MOVES, np.int64), np.zeros(MOVES)
    return np.zeros(ACTION_COUNT, np.int8), *moves, np.zeros((MAX_PLAYERS, SCORES), np.int64)


def leaf_of(game: Game, arrays: dict[str, np.ndarray], value: Json, seat: int) -> np.ndarray:
    """The returns at a leaf; leaves the game at the last position that was evaluated."""
    networks = new_search_networks(arrays, {"hidden": [8], "activation": "relu", "value": value})
    out = np.zeros(MAX_PLAYERS)
    seen_returns(game.states[0], game.parameters[0], networks, *scratch(), seat, out)
    return out[: game.num_players]


def output(arrays: dict[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    hidden = np.maximum(0.0, arrays[f"{name}.0.weight"] @ x + arrays[f"{name}.0.bias"])
    return arrays[f"{name}.1.weight"] @ hidden + arrays[f"{name}.1.bias"]


def told(game: Game, arrays: dict[str, np.ndarray], value: Json, seat: int) -> float:
    """The critic's return for the seat to act."""
    said = float(output(arrays, "value", game.observe(seat))[0])
    if value is VALUE:  # the critic leaves out the current margin
        totals = game.scores()[:, -1]
        said += 2.0 * (totals[seat] - np.delete(totals, seat).max()) / 100.0
        said = 1.0 / (1.0 + np.exp(-100.0 * said / 3.0 / 12.0))
    return min(1.0, max(0.0, said))


def play_likeliest(game: Game, arrays: dict[str, np.ndarray]) -> None:
    logits = output(arrays, "policy", game.observe())
    game.step(int(np.where(game.mask() > 0, logits, -np.inf).argmax()))


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("value", [RETURN_VALUE, VALUE])
def test_a_critic_of_what_the_seat_knows_is_asked_at_each_of_its_decisions(players: int, value: Json) -> None:
    """The leaf's return is a λ-return over the seat's next decisions, with moves of the policy.

    The others share the rest evenly.
    """
    arrays = network(5, value)
    arrays["value.1.bias"][:] = 0.6 if value is RETURN_VALUE else 0.1
    answers = []
    for game in positions(players, 12, seed=9):
        for seat in range(players):
            leaf, by_hand = game.clone(), game.clone()
            paid = leaf_of(leaf, arrays, value, seat)
            assert paid.sum() == pytest.approx(1.0)
            said: list[float] = []
            for step in range(SEEN_PLAY_ON + 100):
                if by_hand.states[0].player == seat:
                    said.append(told(by_hand, arrays, value, seat))
                    if step >= SEEN_PLAY_ON:
                        break
                if by_hand.over:
                    break
                play_likeliest(by_hand, arrays)
            if by_hand.over:
                continue
            answers.append(len(said))
            assert int(leaf.states[0].decisions) == int(by_hand.states[0].decisions)
            expected = said.pop()
            for one in reversed(said):
                expected = (1.0 - LAMBDA) * one + LAMBDA * expected
            assert paid[seat] == pytest.approx(expected, abs=1e-5)
            assert np.delete(paid, seat) == pytest.approx((1.0 - paid[seat]) / (players - 1))
    assert len(answers) > 10 and min(answers) > 1


def test_a_game_that_ends_before_its_last_word_pays_what_it_ends_with() -> None:
    arrays = network(5, RETURN_VALUE)
    arrays["value.1.weight"][:] = 0
    arrays["value.1.bias"][:] = 0.5  # a constant critic
    ended = 0
    for seed in range(30):
        game = Game(2)
        game.reset(seed)
        rng = np.random.default_rng(seed)
        before = game.clone()
        while not game.over:
            before = game.clone() if game.states[0].decisions % 2 else before
            game.step(int(rng.choice(game.legal_actions())))
        paid = leaf_of(before, arrays, RETURN_VALUE, 0)
        if before.over:
            ended += 1
            won = before.scores()[:, -1]
            assert (paid[0] > 0.5) == (won[0] > won[1]) or won[0] == won[1]
            assert paid.sum() == pytest.approx(1.0)
    assert ended


WIN_VALUE = {**VALUE, "reward": "win", "final_potential": False}


@pytest.mark.parametrize("value", [None, VALUE, RETURN_VALUE, WIN_VALUE, {**VALUE, "full": True}])
def test_guided_games_are_legal_and_secret(tmp_path: Path, value: object) -> None:
    agent = make_agent(write_folder(tmp_path / "model", network(3, value), value))
    for i, game in enumerate(positions(3, 40, seed=6)):
        move = int(act_alone(agent, game.ask(i))[0])
        assert game.mask()[move]
        other = game.determinize(int(game.states[0].player), 50 + i)
        assert int(act_alone(agent, other.ask(i))[0]) == move


def test_the_guided_agent_shows_its_card_and_refuses_other_games(tmp_path: Path) -> None:
    agent = make_agent(write_folder(tmp_path / "model", network(3), None))
    assert agent.card["network"]["hidden"] == [8]
    with pytest.raises(AgentError, match="components: trained with 'default'"):
        agent.prepare(Game(2, components=other_box(1)).info)


@pytest.mark.parametrize("guided", [False, True])
def test_plays_alike_without_the_jit(guided: bool, tmp_path: Path) -> None:
    """A tiny search runs without the JIT."""
    spec = "ismcts:3"
    if guided:
        spec = write_folder(tmp_path / "model", network(3, VALUE), VALUE).replace(":30", ":8")
    code = (
        "from spacemission_env import make_agent\nfrom spacemission_env.core.agents import act_alone\n"
        "from spacemission_env.games.space_mission.game import Game\n"
        f"g = Game(2); g.reset(4); a = make_agent({spec!r})\n"
        "for _ in range(12):\n    g.step(int(act_alone(a, g.ask())[0]))\n"
        "print(g.states['decisions'], g.observe(0).sum(), g.observe(1).sum())\n"
    )
    said = []
    for jit in ("0", "1"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": jit}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    assert said[0] == said[1]


if __name__ == "__main__":  # the long check: python -m tests.agents.test_ismcts 2000, positions an agent
    for name in (*AGENTS, "ismcts:1000"):
        for players in (2, 3, 4, 5):
            check_secrecy(name, players, -(-int(sys.argv[1]) // 4))
        print(f"{name}: the same move in {sys.argv[1]} positions")
