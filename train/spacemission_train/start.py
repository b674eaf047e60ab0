"""Starts a run from the weights of model folders; adapts an exploiter to its target."""

from __future__ import annotations

import re
from time import perf_counter

import numpy as np

from spacemission_agents.models.folder import load_model
from spacemission_agents.models.network_input import find_network_input
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import Agent, answered, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_train.networks import Arrays, Value
from spacemission_train.settings import Settings

BETWEEN = re.compile(",(?=policy:)")  # separates the models of an ensemble
POLICY, SEPARATOR = "policy", "_"  # a part of inputs' names ("afterstate_policy_rated"), the separator
ASKED = 8  # number of decisions over which a target's speed is measured
LONGEST_ANSWER = 1.0  # seconds that a target may need for all games at once


class StartError(SpaceMissionError):
    """The run cannot start from these weights."""


def followed(settings: Settings, target: Agent | None) -> Settings:
    """Change the settings to the form of the models that the run starts from.

    An exploiter starts from its target, if the target is a model of afterstates. Against a slow target it
    plays fewer games at once.

    Raises:
        StartError: the run cannot start from these models.
    """
    if target is not None:
        if settings.start is None and isinstance(target, PolicyAgent) and "worlds" in target.needs:
            settings = settings.changed(start=settings.exploit)
        if settings.minutes is not None:
            most = int(LONGEST_ANSWER / max(seconds_of(target, settings), 1e-6))
            settings = settings.changed(envs=max(4, min(settings.envs, most)))
    if settings.start is None:
        return settings
    networks = [card["network"] for card, _ in _models(settings)]
    layers = [_widths(one) for one in networks]
    if not all(map(find_network_input(settings.spec).reads_afterstates, networks)):
        raise StartError(f"--start: {settings.start!r}: expected models that read positions after moves")
    kinds = [set(one["input"].split(SEPARATOR)) for one in networks]
    if len({POLICY in kind for kind in kinds}) > 1:
        raise StartError(f"--start: {settings.start!r}: expected only policies, or only values")
    own = set(settings.input.split(SEPARATOR))
    wanted = own.union(*kinds) if settings.exploit is not None else own
    names = [
        name for name in find_network_input(settings.spec).inputs if set(name.split(SEPARATOR)) == wanted
    ]
    if not names or not all(kind <= wanted for kind in kinds):
        found = " and ".join(repr(one["input"]) for one in networks)
        raise StartError(f"--start: {settings.start!r}: its input is {found}, the run has {settings.input!r}")
    hidden = tuple(sum(widths) for widths in zip(*layers, strict=True))
    return settings.changed(input=names[0], hidden=hidden)


def load_start(settings: Settings, network: Value) -> None:
    """Load the weights of `settings.start`, if it is set, into a network of the same form (`followed`).

    A policy may start from values, and then follows them. If the network reads ratings and the models do not,
    its weights for ratings are those of a new network.
    """
    if settings.start is None:
        return
    models = [arrays for _, arrays in _models(settings)]
    if len(models) == 1:
        network.set_arrays(models[0])
    else:
        network.set_ensemble(models)


def _models(settings: Settings) -> list[tuple[Json, Arrays]]:
    models = []
    for spec in BETWEEN.split(str(settings.start)):
        agent = make_agent(spec, settings.game)
        if not isinstance(agent, PolicyAgent):
            raise StartError(f"--start: {spec!r}: expected policy:PATH")
        prepare_agents([agent], settings.info)
        models.append(load_model(agent.folder))
    return models


def _widths(network: Json) -> list[int]:
    return [*filter(None, [network.get("planets", 0)]), *network["hidden"]]


def seconds_of(agent: Agent, settings: Settings) -> float:
    """Measure how many seconds an agent takes for a decision."""
    games = BatchedGames(
        ASKED, max(settings.players), settings.rules, settings.components, game=settings.game
    )
    for i in range(ASKED):
        games.deal(i, i)
    decisions = games.ask(games.everyone)
    answered(agent, decisions.part(agent, np.arange(1)))  # the first call may compile
    began = perf_counter()
    answered(agent, decisions.part(agent, games.everyone))
    return (perf_counter() - began) / ASKED
