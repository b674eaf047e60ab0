"""`ismcts`: the tree, worlds, rollouts, and games whose author wrote no line for it."""

import os
import subprocess
import sys

import numpy as np
import pytest

from spacemission_agents.afterstates.moves import find_afterstates
from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.schedule import round_robin
from spacemission_agents.games.space_mission.value.afterstates import AFTERSTATES
from spacemission_agents.models.policy import PolicyAgent
from spacemission_agents.search.agent import Name, SearchAgent, read_name
from spacemission_agents.search.template import (
    NODE,
    ROOT,
    Memory,
    Moves,
    Search,
    back_up,
    bind_search,
    choose_edge,
    find_child,
    grow,
    new_moves,
)
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import find_game
from tests.support import leduc, take_stones
from tests.support.any_afterstates import positions

# ---------------------------------------------------------------- the tree

# The returns of seats 0 and 1 after a move of each.
RETURNS = {(0, 0): (0.9, 0.1), (0, 1): (0.0, 1.0), (1, 0): (0.4, 0.6), (1, 1): (0.4, 0.6)}


def two_moves(logits: tuple[float, float] = (0.0, 0.0)) -> Moves:
    """Two moves that are their own keys and are expected to be equally good."""
    moves = new_moves(2)
    moves.keys[:], moves.logits[:], moves.shares[:] = (0, 1), logits, 0.5
    return moves


def visits_after(simulations: int) -> list[int]:
    """Search the game of `RETURNS`; how often each move of seat 0 was chosen."""
    nodes, used, moves = np.zeros(8, NODE), 1, two_moves()
    for _ in range(simulations):
        path, made, at = [], [], ROOT
        for _ in range(2):
            made.append(int(choose_edge(nodes, at, 2, moves, 0.5, 1.0)))
            child = int(moves.nodes[made[-1]])
            if child == 0:
                child, used = used, used + 1
                grow(nodes, at, child, made[-1])
            path.append(child)
            at = child
        back_up(nodes, np.array(path), np.array([0, 1]), 2, np.array(RETURNS[made[0], made[1]]))
    return [int(nodes[find_child(nodes, ROOT, move)]["visits"]) for move in range(2)]


def test_a_move_is_paid_the_return_of_the_seat_that_made_it() -> None:
    nodes = np.zeros(4, NODE)
    back_up(nodes, np.array([1, 2, 3]), np.array([0, 2, 1]), 3, np.array([0.5, 0.3, 0.2]))
    assert nodes["total"].tolist() == [0.0, 0.5, 0.2, 0.3]
    assert nodes["visits"].tolist() == [1, 1, 1, 1]


def test_an_opponent_is_expected_to_play_for_itself() -> None:
    first, second = visits_after(400)
    assert first + second == 400
    assert second > 3 * first, "the first move pays 0.9 only if seat 1 plays for seat 0"


# ---------------------------------------------------------------- the name


def test_a_name_is_read_from_the_right() -> None:
    assert read_name(None) == Name(None, 1000, 1, False)
    assert read_name("50x4") == Name(None, 50, 4, False)
    assert read_name("scratch:50?rollouts") == Name("scratch", 50, 1, True)
    assert read_name("C:/a:b/x?y:7x2?rollouts") == Name("C:/a:b/x?y", 7, 2, True)


# ---------------------------------------------------------------- games without a line for search


def shares(agents: list[str | SearchAgent], game: str, games: int = 200) -> tuple[float, float]:
    """The first agent's share of wins and mean last score against the second."""
    lineups, seeds = round_robin(2, 2, games, 11)
    results = play_games(agents, lineups, seeds, workers=1, game=game)
    ours = results.lineups == 0
    return float((results.shares * ours).sum() / games), float((results.scores[..., -1] * ours).sum() / games)


@pytest.mark.parametrize("way", ["", pytest.param("?rollouts", marks=pytest.mark.slow)])
def test_kuhn_poker_is_searched_without_a_line_of_its_author(way: str) -> None:
    share, chips = shares([f"ismcts:100{way}", "random"], "kuhn_poker")
    assert share > 0.6 and chips > 0.2
    game = make_game("kuhn_poker", 2)
    agent = SearchAgent(f"100{way}", "kuhn_poker")
    for card, moves in (("K", {1}), ("J", {0, 1})):  # after a bet the king is always called
        game.reset(0, {"cards": ["Q", card, "J" if card == "K" else "K"]})
        game.step(1)
        answers = {int(act_alone(agent, game.ask(key))[0]) for key in range(20)}
        assert answers <= moves, card


@pytest.mark.slow
def test_other_games_are_searched_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    game = make_game(leduc.SPEC, 2)
    search = bind_search(find_afterstates(leduc.SPEC), False)
    tried = 0
    for seed in range(20):
        game.reset(seed)
        while not game.over:
            visits = np.zeros((1, 3), np.int64)
            masks, keys = game.mask()[None], np.array([game.decision_key()])
            search.compare_rows(
                game.states, masks, keys, game.parameters, 60, True, None, search.new_memory(60), visits
            )
            assert 30 < visits.sum() <= 61 and (visits[game.mask()[None] == 0] == 0).all()
            game.step(int(visits.argmax()))
            tried += 1
    assert tried > 40
    with take_stones.installed(tmp_path_factory.mktemp("site")):
        share, _ = shares(["ismcts:60", "random"], "take_stones")
        assert share > 0.9


# ---------------------------------------------------------------- worlds and rollouts of Space Mission


def tools(spec: str = "scratch", simulations: int = 300) -> tuple[Search, tuple[object, Memory]]:
    agent = SearchAgent(f"{spec}:{simulations}")
    return agent._search, agent._new_tools()


def drawn(game: Game, key: int) -> np.ndarray:
    """Draw a likely world of the seat to act."""
    search, (mind, memory) = tools()
    names = search.names
    names["weigh_worlds"](game.states[0], game.parameters[0], key, mind, memory)
    assert (np.diff(memory.cumulative) >= 0).all()
    names["draw_world"](game.states[0], game.parameters[0], key, 3, memory)
    return memory.world[:1].copy()


def stands(game: Game, seat: int) -> float:
    search, (mind, _) = tools()
    return float(search.names["standing"](game.states[0], game.parameters[0], seat, mind))


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_world_is_the_same_wherever_the_seat_cannot_tell_the_true_one(players: int) -> None:
    found = set()
    for i, game in enumerate(positions("space_mission", players, 8)):
        assert game.player is not None
        before = game.states.tobytes()
        world = drawn(game, i)
        found.add(world.tobytes())
        assert world.tobytes() == drawn(game.determinize(game.player, 70 + i), i).tobytes()
        assert game.states.tobytes() == before
        assert (game.from_world(world[0]).observe(game.player) == game.observe(game.player)).all()
    assert len(found) == 8


def test_a_search_remembers_what_its_seat_saw_where_the_observation_shows_only_the_table() -> None:
    agent = make_agent("ismcts:scratch:20")
    for game in positions("space_mission", 3, 6, rules="printed"):
        now = make_game("space_mission", 3, observation="table")
        now.states[:] = game.states
        assert agent.play(now) == agent.play(game)


@pytest.mark.slow
def test_true_worlds_are_more_like_those_drawn_than_like_even_ones() -> None:
    """In games of `policy:scratch`, the rival's value is close to that in likely worlds."""
    agent, game = make_agent("policy:scratch"), make_game("space_mission", 2)
    true, even, likely = [], [], []
    for seed in range(6):
        game.reset(seed)
        while not game.over:
            if game.states[0]["decisions"] % 7 == 0:
                seat = game.player
                assert seat is not None
                true.append(stands(game, 1 - seat))
                even.append(stands(game.determinize(seat, 5), 1 - seat))
                likely.append(stands(game.from_world(drawn(game, seed)[0]), 1 - seat))
            game.step(int(act_alone(agent, game.ask())[0]))
    assert len(true) > 40
    assert np.mean(true) > np.mean(even) + 0.3
    assert abs(np.mean(true) - np.mean(likely)) < 0.5 * (np.mean(true) - np.mean(even))


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["space_mission", "planet_hexx"])
def test_a_rollout_ends_at_the_seat_s_next_turn_or_with_the_game(spec: str) -> None:
    agent = SearchAgent("scratch:4", spec)
    mind, memory = agent._new_tools()
    ended = 0
    for game in positions(spec, 2, 12):
        seat, begun = game.player, game.rounds
        assert seat is not None
        for action in game.legal_actions()[:3]:
            told = []
            for _ in range(2):
                world = game.determinize(seat, 5).states
                agent._search.names["apply"](world[0], game.parameters[0], action)
                asked = world[0], game.parameters[0], seat, begun, True
                agent._search.names["roll_out"](*asked, mind, memory)
                told.append(float(memory.result[seat]))
                assert memory.result[:2].sum() == pytest.approx(1)
            assert told[0] == told[1] and 0 <= told[0] <= 1
            if world[0]["over"]:
                ended += 1
            else:
                assert world[0]["player"] == seat and world[0]["round_number"] > begun
    assert ended


# ---------------------------------------------------------------- the agent


@pytest.mark.parametrize(
    ("game", "spec"),
    [
        ("kuhn_poker", "30"),
        pytest.param("kuhn_poker", "30?rollouts", marks=pytest.mark.slow),
        pytest.param("space_mission", "24", marks=pytest.mark.slow),
        pytest.param("space_mission", "24?rollouts", marks=pytest.mark.slow),
        pytest.param("planet_hexx", "24", marks=pytest.mark.slow),
    ],
)
def test_simulations_go_to_legal_moves_and_trees_are_summed(game: str, spec: str) -> None:
    numbers, mark, way = spec.partition("?")
    one, two = SearchAgent(spec, game, threads=1), SearchAgent(spec, game, threads=2)
    trees = SearchAgent(f"{numbers}x3{mark}{way}", game)
    games = BatchedGames(6, 2, game=game)
    for i in range(6):
        games.deal(i, i)
    asked = games.ask(games.everyone).part(one, games.everyone)
    visits = one.visits(asked)
    assert (visits[asked.masks == 0] == 0).all()
    assert (visits == two.visits(asked)).all(), "moves depend on threads"
    assert (one.act(asked) == visits.argmax(1)).all()
    assert np.allclose(one.probabilities(asked).sum(1), 1)
    several = trees.visits(asked).sum(1)
    assert (visits.sum(1) > int(numbers) // 2).all() and (several == 3 * visits.sum(1)).all()
    alike = (trees.visits(asked) == 3 * visits).all()
    assert alike == (game == "kuhn_poker"), "only two moves always share the simulations evenly"


@pytest.mark.slow
def test_own_moves_are_told_apart_by_cards_and_those_of_others_by_the_table() -> None:
    edge_key = AFTERSTATES.names["edge_key"]
    game = make_game("space_mission", 2)
    game.reset(5)
    own: dict[int, set[str]] = {}
    others: dict[int, set[str]] = {}
    for action in game.legal_actions():
        move = game.move_text(action)
        own.setdefault(int(edge_key(game.states[0], action, True)), set()).add(move)
        others.setdefault(int(edge_key(game.states[0], action, False)), set()).add(move.split()[0])
    assert len(own) == len(game.legal_actions())
    assert all(len(verbs) == 1 for verbs in others.values())
    assert len(others) < len(own)


def test_a_named_model_refuses_a_box_that_it_does_not_know_and_the_default_one_plays_it() -> None:
    game = make_game("space_mission", 2, "hand_size=3")
    SearchAgent("4").prepare(game.info)
    with pytest.raises(Exception, match="hand_size"):
        SearchAgent("scratch:4").prepare(game.info)
    assert PolicyAgent("scratch").folder == SearchAgent("4").policy.folder  # type: ignore[union-attr]
    assert find_game("kuhn_poker") and SearchAgent("4", "kuhn_poker").policy is None


@pytest.mark.slow
def test_plays_alike_without_the_jit() -> None:
    code = (
        "from spacemission_env import make_agent\nfrom spacemission_env.core.agents import act_alone\n"
        "from spacemission_env.core.game import make_game\n"
        "for of, moves in (('kuhn_poker', 2), ('space_mission', 1)):\n"
        "    g = make_game(of, 2); g.reset(4); a = make_agent('ismcts:3', of)\n"
        "    for _ in range(moves):\n        g.step(int(act_alone(a, g.ask())[0]))\n"
        "    print(g.states['decisions'], g.observe(0).sum(), g.observe(1).sum())\n"
    )
    said = []
    for jit in ("0", "1"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": jit}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    assert said[0] == said[1]
