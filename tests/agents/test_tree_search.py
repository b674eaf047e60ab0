"""The search tree of every game: who is paid for a move, and how the next move is chosen."""

from __future__ import annotations

import numpy as np

from spacemission_agents.tree_search.nodes import NODE, ROOT, back_up, choose_edge, find_child, grow

MOVES = np.arange(2)  # of each node; a move is its own key
# The returns of seats 0 and 1 after a move of each.
RETURNS = {(0, 0): (0.9, 0.1), (0, 1): (0.0, 1.0), (1, 0): (0.4, 0.6), (1, 1): (0.4, 0.6)}


def chosen(nodes: np.ndarray, parent: int, explore: float, values: tuple[float, float]) -> int:
    """The move that the search chooses in a node; `values`: of the moves, for the prior."""
    found = np.zeros(2, np.int64)
    return int(choose_edge(nodes, parent, 2, MOVES, np.array(values), explore, np.zeros(2), found))


def visits_after(simulations: int) -> list[int]:
    """Search the game of `RETURNS`; how often each move of seat 0 was chosen."""
    nodes, used = np.zeros(8, NODE), 1
    for _ in range(simulations):
        path, moves, at = [], [], ROOT
        for _ in range(2):
            moves.append(chosen(nodes, at, 0.5, (0.0, 0.0)))
            child = int(find_child(nodes, at, moves[-1]))
            if child == 0:
                child, used = used, used + 1
                grow(nodes, at, child, moves[-1], 0.0)
            path.append(child)
            at = child
        back_up(nodes, np.array(path), np.array([0, 1]), 2, np.array(RETURNS[moves[0], moves[1]]))
    return [int(nodes[find_child(nodes, ROOT, move)]["visits"]) for move in MOVES]


def test_a_move_is_paid_the_return_of_the_seat_that_made_it() -> None:
    nodes = np.zeros(4, NODE)
    back_up(nodes, np.array([1, 2, 3]), np.array([0, 2, 1]), 3, np.array([0.5, 0.3, 0.2]))
    assert nodes["total"].tolist() == [0.0, 0.5, 0.2, 0.3]
    assert nodes["visits"].tolist() == [1, 1, 1, 1]


def test_an_opponent_is_expected_to_play_for_itself() -> None:
    first, second = visits_after(400)
    assert first + second == 400
    assert second > 3 * first, "the first move pays 0.9 only if seat 1 plays for seat 0"


def test_the_weight_of_the_prior_decides_between_the_prior_and_the_returns() -> None:
    values = 0.0, 2.0  # the second move is likelier by the prior, the first has paid more
    for explore, move in ((0.0, 0), (0.05, 0), (5.0, 1)):
        nodes = np.zeros(3, NODE)
        for child, total in ((1, 6.0), (2, 5.0)):
            grow(nodes, ROOT, child, child - 1, values[child - 1])
            nodes[child]["visits"], nodes[child]["total"] = 10, total
        assert chosen(nodes, ROOT, explore, values) == move, explore
