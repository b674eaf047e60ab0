"""Trains the network of `search/leaf_network.py`.

`python -m studies.fit_leaf --out FILE`

The examples are from games of `heuristic` against itself. Each game has a stretch of looser play and then,
mostly, one random move: a search also visits positions after moves that `heuristic` would not make. With
`--searched`, in further games the search plays every second seat with the network in the package: these have
positions that the search overrates. The target is the seat's final return (`leaf_evaluator.returns`).
"""

from __future__ import annotations

import argparse
import multiprocessing
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save as save_tensors
from torch import nn

from spacemission_agents.games.space_mission.heuristic.agent import HeuristicAgent
from spacemission_agents.games.space_mission.search.agent import IsmctsAgent
from spacemission_agents.games.space_mission.search.leaf_evaluator import returns
from spacemission_agents.games.space_mission.search.leaf_network import FEATURES, features
from spacemission_agents.games.space_mission.search.rollout_policy import (
    MOVES,
    new_view,
    prepare,
    rollout_moves,
)
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.space_mission.engine.constants import ACTION, JUMP, MAX_PLAYERS, OVER, SCORES
from spacemission_train.games.space_mission.views import njit

HIDDEN = (64, 32)
LOOSE = 0.2  # share of the rollout policy's moves in the stretch of looser play
STRAY = 0.7  # share of the games with a random move after it
TOP_UP_SHARE = 0.2  # probability of each top-up in a random move; they are many
SOON = 10  # decisions after that move that are taken more often
TAKEN, TAKEN_LATER = 0.5, 0.08  # share of the positions that become examples
GAMES = 5000  # at a time
SEARCHED_GAMES = 250
SIMULATIONS = "150"  # a decision, in games with search
EPOCHS, BATCH, RATE = 12, 2048, 4e-3


@njit
def choose_by_rollout_policy(states, parameters, views, actions):
    """Write the rollout policy's best move for each state."""
    prepare(parameters[0], views[0])
    moves, values = np.empty(MOVES, np.int64), np.empty(MOVES)
    for n in range(len(states)):
        count = rollout_moves(states[n], parameters[0], views[0], False, moves, values)
        actions[n] = moves[np.argmax(values[:count])]


def rollout_choices(states: np.ndarray, parameters: np.ndarray, views: np.ndarray) -> np.ndarray:
    """The rollout policy's move in each state: int64 (n,)."""
    actions = np.zeros(len(states), np.int64)
    choose_by_rollout_policy(states, parameters, views, actions)
    return actions


@njit
def write_examples(states, parameters, index, views, scores, examples):
    """Features of all seats in the games of `index`, a row each."""
    t = parameters[0]
    v = views[0]
    row = 0
    for n in range(len(index)):
        s = states[index[n]]
        for seat in range(s.num_players):
            features(s, t, seat, v, scores, examples[row])
            row += 1


@njit
def write_returns(states, parameters, scores, out):
    """Returns of all seats of games that are over."""
    t = parameters[0]
    for n in range(len(states)):
        returns(states[n], t, scores, out[n])


def gather(games: int, players: int, seed: int, searched: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Examples from so many games: features float32 (n, FEATURES) and returns float32 (n,)."""
    rng = np.random.default_rng(seed)
    searcher = IsmctsAgent(SIMULATIONS, threads=1)
    agent, views, scores = HeuristicAgent(), new_view(), np.zeros((MAX_PLAYERS, SCORES), np.int64)
    table = BatchedGames(games, players)
    parameters = table.template.parameters
    for i in range(games):
        table.deal(i, int(rng.integers(2**62)))
    loose_until = rng.integers(0, (5 if searched else 30) * players, games)
    index, parts, sources = table.everyone, [], []
    while len(index):
        states = table.states[index]
        since = states["decisions"] - loose_until[index]
        probabilities = np.where(searched | (since < SOON), TAKEN, TAKEN_LATER)
        taken = index[(states["phase"] == ACTION) & (since >= 1) & (rng.random(len(index)) < probabilities)]
        examples = np.zeros((len(taken) * players, FEATURES), np.float32)
        write_examples(table.states, parameters, taken, views, scores, examples)
        parts.append(examples)
        sources.append(np.repeat(taken, players) * players + np.tile(np.arange(players), len(taken)))
        asked = table.ask(index)
        actions = agent.act(asked)
        if searched:
            rows = np.flatnonzero((since > 0) & ((index + states["player"]) % 2 == 0))
            actions[rows] = searcher.act(asked.part(searcher, rows)) if len(rows) else 0
        loose = np.flatnonzero((since < 0) & (rng.random(len(index)) < LOOSE))
        actions[loose] = rollout_choices(states[loose], parameters, views)
        for row in np.flatnonzero((since == 0) & (not searched) & (rng.random(len(index)) < STRAY)):
            weights = asked.masks[row] * np.where(np.arange(asked.masks.shape[1]) < JUMP, TOP_UP_SHARE, 1.0)
            actions[row] = rng.choice(len(weights), p=weights / weights.sum())
        table.step(index, actions)
        index = index[table.states["phase"][index] != OVER]
    paid = np.zeros((games, players))
    write_returns(table.states, parameters, scores, paid)
    return np.concatenate(parts), paid.ravel()[np.concatenate(sources)].astype(np.float32)


def fit(inputs: np.ndarray, targets: np.ndarray, seed: int) -> nn.Sequential:
    """The network fitted to examples by cross-entropy; it gives logits."""
    torch.manual_seed(seed)
    layers: list[nn.Module] = []
    for before, after in zip((FEATURES, *HIDDEN), HIDDEN, strict=False):
        layers += [nn.Linear(before, after), nn.ReLU()]
    network = nn.Sequential(*layers, nn.Linear(HIDDEN[-1], 1))
    x, y = torch.from_numpy(inputs), torch.from_numpy(targets)
    batches = len(x) // BATCH
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, EPOCHS * batches)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x))[: batches * BATCH].view(-1, BATCH):
            loss = nn.functional.binary_cross_entropy_with_logits(network(x[rows])[:, 0], y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return network


def arrays_of(network: nn.Sequential) -> dict[str, np.ndarray]:
    """The weights under the names that `leaf_network.new_leaf` reads."""
    linear = [layer for layer in network if isinstance(layer, nn.Linear)]
    arrays = {}
    for i, layer in enumerate(linear):
        arrays[f"leaf.{i}.weight"] = layer.weight.detach().numpy().copy()
        arrays[f"leaf.{i}.bias"] = layer.bias.detach().numpy().copy()
    return arrays


def main() -> None:
    """Gather, fit, report the error on games not seen, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=24, help=f"times {GAMES} games of two players")
    parser.add_argument("--searched", type=int, default=0, help=f"times {SEARCHED_GAMES} games with search")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    jobs: list[tuple[int, int, int, bool]]
    jobs = [(SEARCHED_GAMES, 2, given.seed + 3000 + i, True) for i in range(given.searched)]
    jobs += [(GAMES, 2, given.seed + i, False) for i in range(given.rounds)]
    jobs += [(GAMES // 2, n, given.seed + 1000 + n, False) for n in (3, 4, 5)]
    with multiprocessing.get_context("spawn").Pool(given.workers) as pool:
        parts = pool.starmap(gather, jobs, chunksize=1)
    inputs, targets = (np.concatenate(column) for column in zip(*parts, strict=True))
    torch.set_num_threads(1)
    network = fit(inputs, targets, given.seed)
    fresh, paid = gather(GAMES // 2, 2, given.seed + 2000)
    with torch.no_grad():
        told = torch.sigmoid(network(torch.from_numpy(fresh))[:, 0]).numpy()
    error, base = float(((told - paid) ** 2).mean()), float(paid.var())
    print(f"{len(inputs)} examples; squared error on fresh games {error:.4f}, of the mean alone {base:.4f}")
    given.out.write_bytes(save_tensors(arrays_of(network)))


if __name__ == "__main__":
    main()
