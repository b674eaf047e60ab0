"""Trains a policy to imitate another agent before self-play.

The training games contain some random moves, so the policy also learns how the agent answers unusual
positions (as in the first round of DAgger, Ross, Gordon and Bagnell 2011).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch.nn import functional

from spacemission_env.core.agents import act_alone, make_agent, prepare_agents
from spacemission_env.core.rng import hash63
from spacemission_train.ppo.networks import FORBIDDEN, LeaguePolicy, policy_parameters
from spacemission_train.self_play.table import GameTable
from spacemission_train.settings.presets import Settings

GAMES = 512  # parallel games
RANDOM_SHARE = 0.08  # share of random moves
BATCH = 1024
BUFFER = 40  # batches in the shuffle buffer
RATE = 2e-3  # highest learning rate
IMITATE_STREAM = 0x1337


def imitate(settings: Settings, policy: LeaguePolicy) -> float:
    """Train the policy network to imitate the agent `settings.imitate`.

    The agent plays `settings.imitate_decisions` decisions; the network learns once from each. The value
    network stays unchanged (see `settings.critic_warmup`).

    Returns:
        Share of the last decisions in which network and agent agreed, 0 to 1.
    """
    steps = max(1, settings.imitate_decisions // BATCH)
    optimizer = torch.optim.Adam(policy_parameters(policy), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps)
    batches = _batches(settings)
    agreement = 0.0
    for step in range(steps):
        inputs, masks, actions = (torch.from_numpy(x).to(policy.device) for x in next(batches))
        logits = policy.logits(inputs).masked_fill(masks == 0, FORBIDDEN)
        loss = functional.cross_entropy(logits, actions)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        agreed = float((logits.argmax(1) == actions).float().mean())
        agreement += (agreed - agreement) / min(step + 1, 50)
    return agreement


def _batches(settings: Settings) -> Iterator[tuple[np.ndarray, ...]]:
    # Endless shuffled batches of observations, masks and the agent's actions.
    rng = np.random.default_rng(hash63(settings.seed, IMITATE_STREAM, 0))
    stream = _decisions(settings, rng)
    buffer: list[list[np.ndarray]] = [[], [], []]
    while True:
        while sum(map(len, buffer[0])) < BUFFER * BATCH:
            for gathered, new in zip(buffer, next(stream), strict=True):
                gathered.append(new)
        whole = [np.concatenate(gathered) for gathered in buffer]
        order = rng.permutation(len(whole[0]))
        taken = len(order) // 2
        for start in range(0, taken - BATCH + 1, BATCH):
            yield tuple(array[order[start : start + BATCH]] for array in whole)
        rest = order[taken - taken % BATCH :]
        buffer = [[array[rest]] for array in whole]


def _decisions(settings: Settings, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, ...]]:
    agent = make_agent(settings.imitate, settings.game)
    table = GameTable(GAMES, settings.players, settings.rules, settings.components, game=settings.game)
    prepare_agents([agent], table.info)
    everyone = table.everyone
    fresh = everyone
    while True:
        for i in fresh:
            table.deal(int(i), int(rng.integers(2**62)))
        asked = table.ask(everyone)
        observations, masks = asked.observations.copy(), asked.masks.copy()
        actions = act_alone(agent, asked)
        yield observations, masks, actions.copy()
        for i in np.flatnonzero(rng.random(GAMES) < RANDOM_SHARE):
            actions[i] = rng.choice(np.flatnonzero(masks[i]))
        table.step(everyone, actions)
        fresh = np.flatnonzero(table.over)
