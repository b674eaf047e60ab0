"""Starts a run from the weights of model folders."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import torch

from spacemission_agents.models.folder import load_model
from spacemission_agents.models.network_input import PLAIN_INPUT
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_train.ppo.networks import LeaguePolicy, policy_layers, policy_parameters
from spacemission_train.settings.settings import SAME, Settings
from spacemission_train.td.network import Value

BETWEEN = re.compile(",(?=policy:)")  # separates the models of an ensemble
DEFAULTS: Json = {"input": PLAIN_INPUT, "planets": 0}  # entries that a card may omit


class StartError(SpaceMissionError):
    """The run cannot start from these weights."""


def load_start(settings: Settings, policy: LeaguePolicy) -> None:
    """Load the weights of `settings.start` into the policy network; the value network stays unchanged.

    The run's network may be wider. The output weights of the added units are 0, so both networks play alike
    at first (Net2Net, Chen et al., ICLR 2016, has the same aim).

    Raises:
        SpaceMissionError: one line naming the model folder and what does not fit; no weight has changed.
    """
    if settings.start is None:
        return
    spec = _named_start(settings)
    card, arrays = _model_of(spec, settings)
    for name, value in {**DEFAULTS, **settings.form.card()}.items():
        has = card["network"].get(name, DEFAULTS.get(name))
        if not _holds(value, has):
            raise StartError(f"--start: {spec!r}: network: {name}: is {has!r}, the run trains {value!r}")
    with torch.no_grad():
        for name, layer in policy_layers(policy).items():
            weight, bias = (torch.from_numpy(arrays[f"{name}.{part}"]) for part in ("weight", "bias"))
            rows, columns = weight.shape
            layer.weight[:rows] = 0.0
            layer.weight[:rows, :columns] = weight
            layer.bias[:rows] = bias


def load_value(settings: Settings, network: Value) -> None:
    """Load the weights of `settings.start` into a network of afterstate values; raises as `load_start`.

    `settings.start` names one model of the same widths, or several models, separated by commas, whose widths
    sum to the network's. A policy may start from values, and then follows them. If only the network reads
    ratings, it has the weights of a new network for them.
    """
    if settings.start is None:
        return
    models = [_model_of(spec, settings) for spec in BETWEEN.split(_named_start(settings))]
    check_values_fit(settings.start, [card["network"] for card, _ in models], settings)
    if len(models) == 1:
        network.set_arrays(models[0][1])
    else:
        network.set_ensemble([arrays for _, arrays in models])


def check_values_fit(spec: str, networks: list[Json], settings: Settings) -> None:
    """Check that the run can start from these value networks (entries `network` of their cards).

    Raises:
        StartError: the widths do not sum to the run's, or the run's input lacks a part of theirs.
    """
    for name, value in settings.form.card().items():
        has: list[Any] = [network.get(name, DEFAULTS.get(name)) for network in networks]
        if name == "planets":
            fits = sum(has) == value
        elif name == "hidden":
            fits = [sum(layer) for layer in zip(*has, strict=True)] == list(value)
        elif name == "input":  # of parts, as "afterstate_policy_rated"
            parts = [set(one.split("_")) for one in has]
            fits = all(one <= set(value.split("_")) for one in parts)
            fits = fits and len({"policy" in one for one in parts}) == 1
        else:
            fits = all(one == value for one in has)
        if not fits:
            found = " and ".join(map(repr, has))
            raise StartError(f"--start: {spec!r}: network: {name}: is {found}, the run trains {value!r}")


def _named_start(settings: Settings) -> str:
    return str(settings.exploit if settings.start == SAME else settings.start)


def _model_of(spec: str, settings: Settings) -> tuple[Json, dict[str, np.ndarray]]:
    agent = make_agent(spec, settings.game)
    if not isinstance(agent, PolicyAgent):
        raise StartError(f"--start: {spec!r}: expected policy:PATH")
    prepare_agents([agent], settings.info)
    return load_model(agent.folder)


def _holds(wider: object, narrower: object) -> bool:
    # Whether a network with the entry `wider` can contain one with `narrower`.
    if isinstance(wider, list) and isinstance(narrower, list) and len(wider) == len(narrower):
        return all(map(_holds, wider, narrower))
    if type(wider) is int and type(narrower) is int:
        return wider >= narrower
    return bool(wider == narrower)


def warm_up(policy: LeaguePolicy, settings: Settings, steps: int) -> None:
    """Freeze the policy network during the first `settings.critic_warmup` updates of a warm start."""
    updates = steps // (settings.envs * settings.n_steps)
    frozen = settings.start is not None and updates < settings.critic_warmup
    for parameter in policy_parameters(policy):
        parameter.requires_grad_(not frozen)
