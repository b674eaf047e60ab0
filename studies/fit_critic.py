"""Gives a model folder a critic for searches.

`python -m studies.fit_critic MODEL --out FOLDER`

The policy plays against itself. Some moves are sampled, because a search visits such positions too. From the
information of the seat to act, the critic learns the final return (`leaf_evaluator.returns`). A critic that
reads the hidden part of a sampled world trusts that world. This critic learns from real games, in which the
other players do not keep cards and tiles at random.

A round plays some thousand games and then trains on the examples of the last rounds. Memory stays at about
three gigabytes.
"""

from __future__ import annotations

import argparse
import multiprocessing
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import nn

from spacemission_agents.games.space_mission.policy.inputs import INPUTS
from spacemission_agents.games.space_mission.policy.network import run_network
from spacemission_agents.games.space_mission.search.leaf_evaluator import returns
from spacemission_agents.games.space_mission.search.networks import new_search_networks
from spacemission_agents.models.card import RETURN
from spacemission_agents.models.folder import save_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import GameInfo
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import OBSERVATIONS
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, MAX_PLAYERS, OVER, SCORES
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.observe import observe
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.symmetry import ACTION_SOURCES, TURNS
from spacemission_env.games.space_mission.options import make_rules
from spacemission_train.games.space_mission.networks import PlanetNetworks
from spacemission_train.games.space_mission.views import njit
from spacemission_train.ppo.networks import critic_arrays
from spacemission_train.run.folder import OutputError, new_folder
from spacemission_train.settings.settings import Form

TAKEN = 0.3  # share of the decisions that become examples
STRAY = 0.03  # share of the decisions that are drawn from the policy's probabilities
FLATTER = 0.5  # what its logits are multiplied by then
GAMES = 500  # of a job; a round has a job for each number of players asked for
FRESH_GAMES = 2500  # to measure by
LONGEST = 4000  # decisions of one game that there is room for
REPLAY, PASSES = 8, 3  # rounds kept; how often an example is learnt from, on average
BATCH, RATE, DECAY = 4096, 2e-3, 1e-3
SEEDS = 1000  # of games to learn from, behind those of the fresh ones
PLAYERS = "2,2,2,2,2,2,3,3,4,5"


@njit
def play(s, t, networks, turn, key, mask, inputs, movers, scores, paid):
    """Play a game to its end; the inputs of some decisions, their seats, and what each seat is paid.

    Args:
        s: the game.
        t: its box.
        networks: `new_search_networks`.
        turn: how the ring stands to the network where nothing else tells (symmetry.py).
        key: seed of which decisions are taken and which are drawn.
        mask: scratch, int8 (101,).
        inputs: out, float32 (`LONGEST`, width).
        movers: out, int64 (`LONGEST`,).
        scores: scratch.
        paid: out, float64 (5,).

    Returns:
        How many decisions were taken.
    """
    policy, flat, records = networks.policy, networks.flat, networks.records
    taken = 0
    step = 0
    while s.phase != OVER:
        write_mask(s, t, s.player, mask)
        observe(s, t, s.player, networks.recall, records[0])
        logits, stands = run_network(flat[0], mask, t, turn, policy)
        if chance(key, step, 0) < TAKEN and taken < LONGEST:
            inputs[taken] = policy.x
            movers[taken] = s.player
            taken += 1
        loose = chance(key, step, 1) < STRAY
        best, most = -1, -np.inf
        for i in range(ACTION_COUNT):
            action = ACTION_SOURCES[stands, i]
            if mask[action]:
                value = float(logits[i])
                if loose:  # the largest of logits with Gumbel noise is a draw from their probabilities
                    noise = -np.log(-np.log(chance(key, step, 2 + action) + 1e-12) + 1e-12)
                    value = FLATTER * logits[i] + noise
                if value > most:
                    best, most = action, value
        apply(s, t, best, NO_ORDER)
        step += 1
    returns(s, t, scores, paid)
    return taken


@njit
def chance(key, step, what):
    """A number from 0 to 1."""
    return (hash63(key, step, what) >> 10) * 2.0**-53


def gather(agent: PolicyAgent, players: int, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Examples from so many games: inputs float16 (n, width) and returns float32 (n,)."""
    network = agent.card["network"]
    networks = new_search_networks(agent.arrays, network, OBSERVATIONS.index(agent.card["observation"]))
    table = BatchedGames(1, players, make_rules(agent.card["rules"]))
    t = table.template.parameters[0]
    inputs, movers = np.zeros((LONGEST, len(networks.policy.x)), np.float32), np.zeros(LONGEST, np.int64)
    mask, scores = np.zeros(ACTION_COUNT, np.int8), np.zeros((MAX_PLAYERS, SCORES), np.int64)
    paid = np.zeros(MAX_PLAYERS)
    seen, told = [], []
    for game in range(games):
        table.deal(0, hash63(seed, game, 1))
        turn = hash63(seed, game, 2) % TURNS
        n = play(
            table.states[0], t, networks, turn, hash63(seed, game, 3), mask, inputs, movers, scores, paid
        )
        seen.append(inputs[:n].astype(np.float16))
        told.append(paid[movers[:n]].astype(np.float32))
    return np.concatenate(seen), np.concatenate(told)


class Critic(nn.Module):
    """The critic of a `Form`: one number for each input."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self.networks = PlanetNetworks(form)
        self.last = nn.Linear(form.hidden[-1], 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns, 0 to 1, (n,)."""
        return self.last(self.networks.forward_critic(x))[:, 0]


class Fit:
    """A critic, what it has learnt from last, and how fast it learns."""

    def __init__(self, form: Form, rounds: int, seed: int) -> None:
        self.rounds, self.done, self.random = rounds, 0, torch.Generator()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.critic = Critic(form)
            self.random.set_state(torch.get_rng_state())
        self.optimizer = torch.optim.AdamW(self.critic.parameters(), RATE, weight_decay=DECAY)
        self.examples: list[tuple[torch.Tensor, torch.Tensor]] = []

    def learn(self, inputs: np.ndarray, targets: np.ndarray) -> None:
        """One round: keep its examples and learn from those of the last rounds."""
        self.examples = [*self.examples[1 - REPLAY :], (torch.from_numpy(inputs), torch.from_numpy(targets))]
        x, y = (torch.cat(column) for column in zip(*self.examples, strict=True))
        steps = max(1, PASSES * len(inputs) // BATCH)
        for step, rows in enumerate(
            torch.randint(len(x), (steps, min(BATCH, len(x))), generator=self.random)
        ):
            part = (self.done + step / steps) / self.rounds  # up in the first tenth, then down to nothing
            self.optimizer.param_groups[0]["lr"] = RATE * min(1.0, 10 * part + 0.01, (1.0 - part) / 0.9)
            with torch.autocast("cpu", torch.bfloat16):
                told = self.critic(x[rows].to(torch.bfloat16)).float()
            loss = nn.functional.mse_loss(told, y[rows])
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.critic.parameters(), 1.0)
            self.optimizer.step()
        self.done += 1

    def explained(self, inputs: np.ndarray, targets: np.ndarray) -> float:
        """Share of the returns' variance that the critic explains."""
        with torch.no_grad():
            parts = torch.from_numpy(inputs).split(20000)
            told = torch.cat([self.critic(part.float()) for part in parts]).numpy()
        return float(1.0 - ((told - targets) ** 2).mean() / targets.var())


def save_with_critic(
    folder: Path, agent: PolicyAgent, arrays: dict[str, np.ndarray], told: dict[str, Any]
) -> None:
    """Write a model folder: an agent's policy with this critic; `told`: about it, for the card."""
    card, own = agent.card, agent.arrays
    hidden = card["network"]["hidden"]
    value = {"hidden": hidden, "reward": RETURN, "shaping": 0.0, "final_potential": False, "full": False}
    network = {**card["network"], "value": value}
    policy = {name: array for name, array in own.items() if not name.startswith("value.")}
    training = {**card["training"], "critic": told}
    save_model(folder, policy | arrays, {**card, "network": network, "training": training})


def whole_number(text: str) -> int:
    """A whole number from 1, of the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not {text!r}")
    return int(text)


def player_numbers(text: str) -> list[int]:
    """Numbers of players, of the command line."""
    parts = text.split(",")
    if not all(part in ("2", "3", "4", "5") for part in parts):
        raise argparse.ArgumentTypeError(f"expected numbers from 2 to 5, as in 2,2,3, not {text!r}")
    return [int(part) for part in parts]


def parse(arguments: list[str] | None) -> tuple[argparse.Namespace, PolicyAgent]:
    """The command line and the model that it names; what it names is there and fits."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.fit_critic",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="a model folder, or default")
    parser.add_argument("--out", type=Path, required=True, help="folder of the model with its new critic")
    parser.add_argument(
        "--rounds", type=whole_number, default=100, help="of games and learning (default 100)"
    )
    text = f"of {GAMES} games each in a round (default {PLAYERS})"
    parser.add_argument("--players", type=player_numbers, default=PLAYERS, help=text)
    parser.add_argument("--workers", type=whole_number, default=2, help="processes; changes nothing else")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    try:
        agent = PolicyAgent(given.model)
        if agent.wants_worlds:
            raise AgentError(f"{given.model}: it judges moves by what they lead to; expected a policy")
        agent.prepare(GameInfo.of(2, make_rules(agent.card["rules"]), load_components()))
        new_folder(given.out)
    except (AgentError, OutputError) as error:
        parser.error(str(error))
    return given, agent


def main(arguments: list[str] | None = None) -> None:
    """Gather and fit in turns, report how well returns of fresh games are told, write the folder."""
    given, agent = parse(arguments)  # loaded once: the policy that played is the one that is written
    network = agent.card["network"]
    form = Form(tuple(network["hidden"]), network.get("input", INPUTS[0]), network.get("planets", 0))
    fit, start = Fit(form, given.rounds, given.seed), perf_counter()
    with multiprocessing.get_context("spawn").Pool(given.workers) as pool:
        for done in range(given.rounds):
            first = given.seed + SEEDS + done * len(given.players)
            jobs = [(agent, n, GAMES, first + i) for i, n in enumerate(given.players)]
            parts = pool.starmap(gather, jobs, chunksize=1)
            fit.learn(*(np.concatenate(column) for column in zip(*parts, strict=True)))
            print(f"round {done + 1} of {given.rounds}, {perf_counter() - start:.0f} s", flush=True)
        counts = sorted(set(given.players))
        fresh = pool.starmap(gather, [(agent, n, FRESH_GAMES, given.seed + n) for n in counts], 1)
    explained = {str(n): round(fit.explained(*part), 3) for n, part in zip(counts, fresh, strict=True)}
    for n, share in explained.items():
        print(f"{n} players: explains {share:.1%} of the variance of returns in fresh games")
    told = {name: value for name, value in vars(given).items() if name not in ("out", "workers")}
    arrays = critic_arrays(fit.critic.networks, fit.critic.last)
    save_with_critic(given.out, agent, arrays, {**told, "explained": explained})
    print(f"written: {given.out}")


if __name__ == "__main__":
    main()
