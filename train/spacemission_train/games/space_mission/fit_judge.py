"""Train the network that judges the leaves of `ismcts` by what the searching seat knows.

`python -m spacemission_train.games.space_mission.fit_judge --out FILE`

Games of two players of two sorts, each with moves in them that their players would not make, as a search asks
about such positions: `loose` ones of `heuristic` against itself (as in `fit_leaf`), and `strong` ones of
`policy:ppo` against itself and `heuristic`, of which the policy's seats are learnt from: what a position
is worth to one who plays on well. The target of a position is the return that the seat had in the end
(`search.returns`). Examples take 560 bytes each, 2.3 million of them where nothing else is asked for.
"""

from __future__ import annotations

import argparse
import multiprocessing
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save as save_tensors
from torch import nn

from spacemission_agents.games.space_mission.heuristic import HeuristicAgent
from spacemission_agents.games.space_mission.search.judge import PLANETS_SCALE
from spacemission_agents.games.space_mission.search.known import FEATURES, PLANET, new_known
from spacemission_agents.games.space_mission.search.known_features import known_features
from spacemission_agents.games.space_mission.search.light import light_choices, new_view
from spacemission_env.core.agents_api import Agent, Decisions, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.space_mission.engine.constants import (
    ACTION,
    ACTION_COUNT,
    JUMP,
    MAX_PLAYERS,
    OVER,
    RING,
    SCORES,
)
from spacemission_train.games.space_mission.fit_leaf import write_returns
from spacemission_train.games.space_mission.kernels import njit

PLAYERS = 2
GAMES = 5000  # at a time
PLANET_WIDTH, HIDDEN = 24, (128, 32)
EPOCHS, BATCH, RATE, DECAY = 5, 2048, 4e-3, 1e-3
HELD_OUT = 60_000  # examples to measure by: the last ones
# Loose games: a stretch of the light policy's moves, then mostly one random move.
LOOSE, LOOSE_ROUNDS, STRAY = 0.2, 30, 0.7
TOP_UP_SHARE = 0.2  # odds of each top-up in a random move; they are many
SOON, TAKEN_SOON, TAKEN = 10, 0.5, 0.08  # decisions after it that are taken more often; share of positions
# Strong games: moves by the odds of what `heuristic` gives them, or now and then any.
STRONG = 0.6  # of the seats beside the one that always is
ASIDE, ODD, TEMPERATURE = 0.05, 0.2, 2.0
SEEDS = 1000  # of strong games, behind those of loose ones

Examples = tuple[np.ndarray, np.ndarray, np.ndarray]  # features, planets (float16), returns (float32)


@njit
def write_known(states, boxes, index, known, features, planets):
    """What all seats know in the games of `index`, a row each."""
    row = 0
    for n in range(len(index)):
        s = states[index[n]]
        for seat in range(s.num_players):
            known_features(s, boxes[0], seat, known)
            for i in range(FEATURES):
                features[row, i] = known.x[i]
            for p in range(RING):
                for i in range(PLANET):
                    planets[row, p, i] = known.planets[p, i]
            row += 1


class Collector:
    """Positions of games under way, until their returns are known."""

    def __init__(self, table: BatchedGames) -> None:
        self.table, self.known = table, new_known()
        self.features: list[np.ndarray] = []
        self.planets: list[np.ndarray] = []
        self.sources: list[np.ndarray] = []

    def take(self, rows: np.ndarray, seats: np.ndarray) -> None:
        """Those of the games `rows`; `seats`: which of theirs, bool (rows, players)."""
        count = len(rows) * PLAYERS
        features = np.zeros((count, FEATURES), np.float32)
        planets = np.zeros((count, RING, PLANET), np.float32)
        write_known(self.table.states, self.table.template.boxes, rows, self.known, features, planets)
        kept = seats.ravel()
        self.features.append(features[kept].astype(np.float16))
        self.planets.append(planets[kept].astype(np.float16))
        places = np.repeat(rows, PLAYERS) * PLAYERS + np.tile(np.arange(PLAYERS), len(rows))
        self.sources.append(places[kept])

    def step(self, index: np.ndarray, actions: np.ndarray, asked: Decisions, seats: np.ndarray) -> np.ndarray:
        """Make the moves, take the games that end; those that go on."""
        self.table.step(index, actions, asked.masks)
        over = self.table.states["phase"][index] == OVER
        if over.any():
            self.take(index[over], seats[index[over]])
        return index[~over]

    def examples(self) -> Examples:
        """All that was taken, once the games are over."""
        paid = np.zeros((len(self.table.states), PLAYERS))
        scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
        write_returns(self.table.states, self.table.template.boxes, scores, paid)
        told = paid.ravel()[np.concatenate(self.sources)].astype(np.float32)
        return np.concatenate(self.features), np.concatenate(self.planets), told


def new_games(games: int, rng: np.random.Generator) -> BatchedGames:
    """Games dealt anew."""
    table = BatchedGames(games, PLAYERS)
    for i in range(games):
        table.deal(i, int(rng.integers(2**62)))
    return table


def gather_loose(games: int, seed: int) -> Examples:
    """Games of `heuristic`, each with a stretch of looser play and then, mostly, one random move."""
    rng, agent, views = np.random.default_rng(seed), HeuristicAgent(), new_view()
    table = new_games(games, rng)
    collector, everyone = Collector(table), np.ones((games, PLAYERS), bool)
    loose_until = rng.integers(0, LOOSE_ROUNDS * PLAYERS, games)
    index = table.everyone
    while len(index):
        states = table.states[index]
        since = states["decisions"] - loose_until[index]
        odds = np.where(since < SOON, TAKEN_SOON, TAKEN)
        taken = index[(states["phase"] == ACTION) & (since >= 1) & (rng.random(len(index)) < odds)]
        collector.take(taken, everyone[taken])
        asked = table.ask(index)
        actions = agent.act(asked)
        loose = np.flatnonzero((since < 0) & (rng.random(len(index)) < LOOSE))
        actions[loose] = light_choices(states[loose], table.template.boxes, views)
        strays = (since == 0) & (rng.random(len(index)) < STRAY)
        for row in np.flatnonzero(strays):
            weights = asked.masks[row] * np.where(np.arange(ACTION_COUNT) < JUMP, TOP_UP_SHARE, 1.0)
            actions[row] = rng.choice(len(weights), p=weights / weights.sum())
        index = collector.step(index, actions, asked, everyone)
    return collector.examples()


def aside(rated: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A move for each row by the odds of its ratings, or one of all legal ones."""
    behind = rated - rated.max(1, keepdims=True)
    drawn = np.where(behind > -1e7, behind / TEMPERATURE + rng.gumbel(size=behind.shape), -1e9)
    odd = rng.random(len(masks)) < ODD
    rarer = np.where(np.arange(ACTION_COUNT) < JUMP, np.log(TOP_UP_SHARE), 0.0)
    drawn[odd] = np.where(masks[odd] > 0, rng.gumbel(size=behind[odd].shape) + rarer, -1e9)
    return np.asarray(drawn.argmax(1))


def gather_strong(games: int, seed: int) -> Examples:
    """Games of `policy:ppo` against itself or `heuristic`, with moves aside; of the policy's seats."""
    rng, judge = np.random.default_rng(seed), HeuristicAgent()
    agents: list[Agent] = [judge, make_agent("policy:ppo")]
    table = new_games(games, rng)
    prepare_agents(agents, table.info)
    collector = Collector(table)
    strong = rng.random((games, PLAYERS)) < STRONG
    strong[np.arange(games), rng.integers(0, PLAYERS, games)] = True
    since = np.full(games, 99)  # decisions since the last move aside
    index = table.everyone
    while len(index):
        states = table.states[index]
        odds = np.where(since[index] < 6, 0.35, 0.05)
        taken = index[(states["phase"] == ACTION) & (rng.random(len(index)) < odds)]
        collector.take(taken, strong[taken])
        asked, actions = table.ask(index), np.zeros(len(index), np.int64)
        who = strong[index, states["player"]]
        for agent, rows in zip(agents, (np.flatnonzero(~who), np.flatnonzero(who)), strict=True):
            if len(rows):
                actions[rows] = agent.act(asked.part(agent, rows))
        since[index] += 1
        rows = np.flatnonzero(rng.random(len(index)) < ASIDE)
        if len(rows):
            actions[rows] = aside(judge.rate(asked.part(judge, rows)), asked.masks[rows], rng)
            since[index[rows]] = 0
        index = collector.step(index, actions, asked, strong)
    return collector.examples()


class JudgeNetwork(nn.Module):
    """The network of `search/judge.py` in torch; logits."""

    def __init__(self) -> None:
        super().__init__()
        self.planet = nn.Linear(PLANET, PLANET_WIDTH)
        sizes = (FEATURES + PLANET_WIDTH, *HIDDEN, 1)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))

    def forward(self, features: torch.Tensor, planets: torch.Tensor) -> torch.Tensor:
        """Logits (n,) of features (n, FEATURES) and planets (n, RING, PLANET)."""
        pooled = torch.relu(self.planet(planets)).sum(1) * PLANETS_SCALE
        hidden = torch.cat([features, pooled], 1)
        for layer in self.layers[:-1]:
            hidden = torch.relu(layer(hidden))
        return self.layers[-1](hidden)[:, 0]

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights under the names that `search.judge.new_judge` reads."""
        tensors = self.state_dict().items()
        return {name.replace("layers.", "judge."): tensor.numpy().copy() for name, tensor in tensors}


def fit(examples: Examples, seed: int) -> JudgeNetwork:
    """The network fitted to examples by cross-entropy."""
    torch.manual_seed(seed)
    network = JudgeNetwork()
    features, planets, told = map(torch.from_numpy, examples)
    batches = len(told) // BATCH
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, EPOCHS * batches)
    for epoch in range(EPOCHS):
        total = 0.0
        for rows in torch.randperm(len(told))[: batches * BATCH].view(-1, BATCH):
            logits = network(features[rows].float(), planets[rows].float())
            loss = nn.functional.binary_cross_entropy_with_logits(logits, told[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        print(f"epoch {epoch + 1} of {EPOCHS}: loss {total / batches:.4f}", flush=True)
    return network


def explained(network: JudgeNetwork, examples: Examples) -> float:
    """Share of the variance of returns that the network explains."""
    features, planets, told = map(torch.from_numpy, examples)
    with torch.no_grad():
        parts = zip(features.split(8192), planets.split(8192), strict=True)
        said = torch.sigmoid(torch.cat([network(a.float(), b.float()) for a, b in parts]))
    return float(1 - ((said - told) ** 2).mean() / told.var())


def main() -> None:
    """Gather, fit, report how much of the returns of the last games is explained, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--loose", type=int, default=10, help="times --games games of heuristic")
    parser.add_argument("--strong", type=int, default=22, help="times --games games of policy:ppo")
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    start = SEEDS * given.seed
    with multiprocessing.get_context("spawn").Pool(given.workers) as pool:
        loose = [(given.games, start + i) for i in range(given.loose)]
        parts = pool.starmap(gather_loose, loose, chunksize=1)
        strong = [(given.games, start + SEEDS + i) for i in range(given.strong)]
        parts += pool.starmap(gather_strong, strong, chunksize=1)
    features, planets, told = (np.concatenate(column) for column in zip(*parts, strict=True))
    held = min(HELD_OUT, len(told) // 10)
    torch.set_num_threads(1)
    network = fit((features[:-held], planets[:-held], told[:-held]), given.seed)
    share = explained(network, (features[-held:], planets[-held:], told[-held:]))
    print(f"{len(told)} examples; explains {share:.1%} of the variance in those held out")
    given.out.write_bytes(save_tensors(network.arrays()))


if __name__ == "__main__":
    main()
