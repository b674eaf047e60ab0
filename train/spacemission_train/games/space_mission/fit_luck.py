"""Train the value by which the arena tells luck from skill (`luck/value.py`).

`python -m spacemission_train.games.space_mission.fit_luck --out FILE`

Games between the agents of `--agents`, every seat drawn anew, some decisions of each kept: the position after
the move, or in the middle of a top-up, with the share of the win that each seat had in the end. It is trained
once and ships: a value that had seen the games which it is to judge would not be fair to them.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from safetensors.numpy import save as save_tensors
from torch import nn

from spacemission_agents.arena.jobs import outcome
from spacemission_agents.games.space_mission.luck.draws import begin_top_up, end_top_up, ready_pile
from spacemission_agents.games.space_mission.luck.features import PLANET, SIDE, seat_features
from spacemission_agents.games.space_mission.luck.judge import SpaceMissionLuck
from spacemission_agents.games.space_mission.search.light import new_view
from spacemission_env.core.agents_api import Agent, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.games.space_mission.engine.constants import JUMP, MAX_PLAYERS, RING, SCORES
from spacemission_env.games.space_mission.engine.rules import apply, draw_card
from spacemission_env.games.space_mission.engine.scoring import score
from spacemission_train.games.space_mission.kernels import njit

AGENTS = "policy:default,heuristic,policy:default?sample"
PLAYERS = "2,2,2,2,2,3,3,4,5"
TAKEN = 0.12  # share of the decisions that become examples
GAMES = 1000  # of a job
SLOPE_GAMES = 500  # for each number of players
PLANET_WIDTH, SIDE_WIDTH, OTHERS_WIDTH = 24, 64, 32
EPOCHS, BATCH, RATE, DECAY = 6, 1024, 3e-3, 1e-3


@njit
def write_examples(states, boxes, index, actions, draws, views, scores, worlds, sides, planets):
    """Write what the value reads of each game of `index`, after its move or amid it; which are over.

    `draws`: of each game a random number, which decides after how many cards of a top-up.
    """
    t = boxes[0]
    v = views[0]
    over = np.zeros(len(index), np.bool_)
    for n in range(len(index)):
        worlds[0] = states[index[n]]
        s = worlds[0]
        action = int(actions[n])
        pending = 0
        if action < JUMP:
            pending = begin_top_up(s, t, action)
            for _ in range(draws[n] % (pending + 1)):
                if ready_pile(s):
                    draw_card(s, s.player, NO_ORDER)
                    pending -= 1
            if pending == 0:
                end_top_up(s, t)
        else:
            apply(s, t, action, NO_ORDER)
        over[n] = s.over != 0
        score(s, t, scores)
        for seat in range(s.num_players):
            seat_features(s, t, seat, pending, v, scores, sides[n, seat], planets[n, seat])
    return over


def gather(
    names: list[str], players: int, games: int, seed: int, taken: float = TAKEN
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Examples: float16 sides (n, seats, SIDE), planets (n, seats, RING, PLANET); shares (n, seats)."""
    rng = np.random.default_rng(seed)
    agents = [make_agent(name) for name in names]
    table = BatchedGames(games, players)
    prepare_agents(agents, table.info)
    # Half of the games have one agent in all seats: near-equal players are what the value is for.
    seated = rng.integers(len(agents), size=(games, players))
    same = rng.random(games) < 0.5
    seated[same] = seated[same, :1]
    for i in range(games):
        table.deal(i, int(rng.integers(2**62)))
    views, scores = new_view(), np.zeros((MAX_PLAYERS, SCORES), np.int64)
    worlds, boxes = table.spec.new_states(1), table.template.boxes
    parts: list[tuple[np.ndarray, np.ndarray]] = []
    sources: list[np.ndarray] = []
    for index, actions in _moves(table, agents, seated):
        chosen = np.flatnonzero(rng.random(len(index)) < taken)
        sides = np.zeros((len(chosen), players, SIDE), np.float32)
        planets = np.zeros((len(chosen), players, RING, PLANET), np.float32)
        draws = rng.integers(1 << 30, size=len(chosen))
        places = index[chosen]
        over = write_examples(
            table.states, boxes, places, actions[chosen], draws, views, scores, worlds, sides, planets
        )
        parts.append((sides[~over].astype(np.float16), planets[~over].astype(np.float16)))
        sources.append(places[~over])
    told = _shares(table).astype(np.float32)[np.concatenate(sources)]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]), told


def _moves(
    table: BatchedGames, agents: list[Agent], seated: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Games played to their ends: which go on and their actions, each time before these are made.

    `seated`: who sits where, (games, seats).
    """
    index = table.everyone
    while len(index):
        asked = table.ask(index)
        actions = np.zeros(len(index), np.int64)
        to_act = seated[index, table.players[index]]
        for a in np.unique(to_act):
            rows = np.flatnonzero(to_act == a)
            actions[rows] = agents[a].act(asked.part(agents[a], rows))
        yield index, actions
        table.step(index, actions, asked.masks)
        index = index[table.states["over"][index] == 0]


def _shares(table: BatchedGames) -> np.ndarray:
    """Each seat's share of the win, (games, seats)."""
    ranks = outcome(table, table.everyone)[1]
    winners = ranks == ranks.max(1, keepdims=True)
    return np.asarray(winners / winners.sum(1, keepdims=True))


class ValueNetwork(nn.Module):
    """The network of `luck/value.py` in torch; logits of the shares."""

    def __init__(self) -> None:
        super().__init__()
        self.planet = nn.Linear(PLANET, PLANET_WIDTH)
        self.side = nn.Linear(SIDE + PLANET_WIDTH, SIDE_WIDTH)
        self.others = nn.Linear(3 * SIDE_WIDTH, OTHERS_WIDTH)
        self.last = nn.Linear(OTHERS_WIDTH, 1)

    def forward(self, sides: torch.Tensor, planets: torch.Tensor) -> torch.Tensor:
        """Logits (n, seats) of sides (n, seats, SIDE) and planets (n, seats, RING, PLANET)."""
        pooled = torch.relu(self.planet(planets)).sum(2) * 0.25
        own = torch.relu(self.side(torch.cat([sides, pooled], 2)))
        seats = own.shape[1]
        mean = (own.sum(1, keepdim=True) - own) / (seats - 1)
        high = torch.stack([torch.cat([own[:, :j], own[:, j + 1 :]], 1).amax(1) for j in range(seats)], 1)
        return self.last(torch.relu(self.others(torch.cat([own, mean, high], 2))))[:, :, 0]

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights under the names that `luck.value.new_value` reads."""
        return {name: tensor.detach().numpy().copy() for name, tensor in self.state_dict().items()}


Examples = dict[int, list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]]


def loss_of(network: ValueNetwork, part: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Cross-entropy between the shares that came about and those that are told."""
    sides, planets, shares = (tensor.float() for tensor in part)
    return -(shares * torch.log_softmax(network(sides, planets), 1)).sum(1).mean()


def fit(examples: Examples, seed: int, epochs: int) -> ValueNetwork:
    """The network fitted to examples by number of players."""
    torch.manual_seed(seed)
    network = ValueNetwork()
    joined = {
        n: tuple(torch.cat(column) for column in zip(*parts, strict=True)) for n, parts in examples.items()
    }
    batches = {n: len(part[0]) // BATCH for n, part in joined.items()}
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, epochs * sum(batches.values()))
    for epoch in range(epochs):
        order = [(n, i) for n, count in batches.items() for i in range(count)]
        rows = {n: torch.randperm(len(part[0])) for n, part in joined.items()}
        total = 0.0
        for at in torch.randperm(len(order)).tolist():
            n, i = order[at]
            chosen = rows[n][i * BATCH : (i + 1) * BATCH]
            loss = loss_of(network, tuple(column[chosen] for column in joined[n]))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        print(f"epoch {epoch + 1} of {epochs}: loss {total / len(order):.4f}", flush=True)
    return network


def explained(network: ValueNetwork, part: tuple[np.ndarray, ...]) -> float:
    """Share of the variance of the shares that the network explains."""
    sides, planets, shares = (torch.from_numpy(column) for column in part)
    with torch.no_grad():
        parts = zip(sides.split(8192), planets.split(8192), strict=True)
        told = torch.cat([torch.softmax(network(a.float(), b.float()), 1) for a, b in parts])
    return float(1 - ((told - shares) ** 2).mean() / shares.var())


def luck_of_games(
    names: list[str], weights: bytes, players: int, games: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Games of one agent in all seats: shares of the win, worth of cards drawn; each (games, seats)."""
    rng, judge = np.random.default_rng(seed), SpaceMissionLuck(weights)
    agents = [make_agent(name) for name in names]
    table = BatchedGames(games, players)
    prepare_agents(agents, table.info)
    seated = rng.integers(len(agents), size=games)
    for i in range(games):
        table.deal(i, int(rng.integers(2**62)))
    luck = np.zeros((games, players))
    for index, actions in _moves(table, agents, np.repeat(seated[:, None], players, 1)):
        luck[index] += judge.of_draws(table, index, actions)
    return _shares(table), luck


def shrunk(arrays: dict[str, np.ndarray], names: list[str], players: list[int], seed: int) -> float:
    """Scale the last layer so that luck varies no more than it tells; by how much.

    A value learnt from ends of games takes for a card's worth what only goes with having it. The slope of the
    shares over the luck, in games that no example comes from, is what is left of it.
    """
    told = [luck_of_games(names, save_tensors(arrays), n, SLOPE_GAMES, 2 * 10**6 + seed + n) for n in players]
    together = sum(float((luck * (shares - shares.mean())).sum()) for shares, luck in told)
    slope = together / sum(float((luck**2).sum()) for _, luck in told)
    for name in ("last.weight", "last.bias"):
        arrays[name] = (arrays[name] * slope).astype(np.float32)
    return slope


def main() -> None:
    """Gather, fit, report how well the shares of fresh games are told, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--agents", default=AGENTS)
    parser.add_argument("--players", default=PLAYERS, help=f"of {GAMES} games each in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    names, start = given.agents.split(","), perf_counter()
    counts = [int(n) for n in given.players.split(",")] * given.rounds
    jobs = [(names, n, GAMES, 1000 * given.seed + i) for i, n in enumerate(counts)]
    with multiprocessing.get_context("spawn").Pool(given.workers) as pool:
        found = pool.starmap(gather, jobs, chunksize=1)
        fresh = pool.starmap(gather, [(names, n, GAMES, 10**6 + n) for n in sorted(set(counts))], chunksize=1)
    examples: Examples = {}
    for n, part in zip(counts, found, strict=True):
        examples.setdefault(n, []).append(tuple(map(torch.from_numpy, part)))  # type: ignore[arg-type]
    print(f"{sum(len(p[0]) for p in found)} examples, {perf_counter() - start:.0f} s", flush=True)
    torch.set_num_threads(given.workers)
    network = fit(examples, given.seed, given.epochs)
    for n, part in zip(sorted(set(counts)), fresh, strict=True):
        print(f"{n} players: explains {explained(network, part):.1%} of the variance in fresh games")
    arrays = network.arrays()
    slope = shrunk(arrays, names, sorted(set(counts)), given.seed)
    print(f"slope of shares over luck: {slope:.3f}", flush=True)
    given.out.write_bytes(save_tensors(arrays))
    print(f"written: {given.out}, {perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
