"""Starts a run from the weights of model folders, perhaps in a wider network."""

from __future__ import annotations

import re
from typing import Any

import torch

from spacemission_agents.models.folder import load_model
from spacemission_agents.models.network_input import PLAIN_INPUT
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.ppo.networks import policy_layers, policy_parameters
from spacemission_train.settings.settings import SAME, Settings

BETWEEN = re.compile(",(?=policy:)")  # several to start from
RATED = "rated"  # behind the name of an input: the same with ratings of the moves
DEFAULTS = {"input": PLAIN_INPUT, "planets": 0, "cards": 0}  # of a card that does not name them


class StartError(SpaceMissionError):
    """Weights that a run cannot start from."""


def load_start(settings: Settings, policy: Any) -> None:
    """Give an SB3 policy the weights of `settings.start`, if any; its value network stays as it is.

    The run's network may be wider: it then begins by playing alike, as what it has more is not listened to
    at first (Net2Net, Chen et al., ICLR 2016, has the same aim).

    Raises:
        SpaceMissionError: one line naming the model folder and what does not fit; nothing has changed then.
    """
    if settings.start is None:
        return
    spec = _named_start(settings)
    card, arrays = _model_of(spec, settings)
    for name, value in {**DEFAULTS, **settings.form.card()}.items():
        has = card["network"].get(name, DEFAULTS.get(name))
        if not (value == has if settings.cards else _holds(value, has)):
            raise StartError(f"--start: {spec!r}: network: {name}: is {has!r}, the run trains {value!r}")
    with torch.no_grad():
        for name, layer in policy_layers(policy).items():
            weight, bias = (torch.from_numpy(arrays[f"{name}.{part}"]) for part in ("weight", "bias"))
            if name == "policy.0" and settings.planets:
                narrow, wide = card["network"]["planets"], settings.planets
                weight = policy.mlp_extractor.widened(weight, narrow, wide)
            rows, columns = weight.shape
            layer.weight[:rows] = 0.0
            layer.weight[:rows, :columns] = weight
            layer.bias[:rows] = bias
        if "policy.residual" in arrays:
            policy.action_net.residual.copy_(torch.from_numpy(arrays["policy.residual"]))


def load_value(settings: Settings, network: Any) -> None:
    """Give a value of afterstates the weights of `settings.start`, if any: of a network of the same widths.

    It may also be several, with commas: an ensemble, as wide as they are together. The run's may read ratings
    where the others do not; at first it then plays alike. Raises as `load_start`.
    """
    if settings.start is None:
        return
    models = [_model_of(spec, settings) for spec in BETWEEN.split(_named_start(settings))]
    check_values_fit(settings.start, [card["network"] for card, _ in models], settings)
    if len(models) == 1:
        network.set_arrays(models[0][1])
    else:
        network.set_ensemble([arrays for _, arrays in models])


def check_values_fit(spec: str, networks: list[dict[str, Any]], settings: Settings) -> None:
    """Refuse values (`networks` of their cards) that the run cannot go on from; the line names `spec`.

    Raises:
        StartError: the widths do not add up to the run's, or the input is not the run's with or without
            ratings.
    """
    for name, value in settings.form.card().items():
        has = [network.get(name, DEFAULTS.get(name)) for network in networks]
        if name == "planets":
            fits = sum(has) == value
        elif name == "hidden":
            fits = [sum(layer) for layer in zip(*has, strict=True)] == list(value)
        else:
            fits = all(one == value or (name == "input" and f"{one}_{RATED}" == value) for one in has)
        if not fits:
            found = " and ".join(map(repr, has))
            raise StartError(f"--start: {spec!r}: network: {name}: is {found}, the run trains {value!r}")


def _named_start(settings: Settings) -> str:
    return str(settings.exploit if settings.start == SAME else settings.start)


def _model_of(spec: str, settings: Settings) -> tuple[dict[str, Any], dict[str, Any]]:
    agent = make_agent(spec, settings.game)
    if not isinstance(agent, PolicyAgent):
        raise StartError(f"--start: {spec!r}: expected policy:PATH, a network to start from")
    prepare_agents([agent], settings.info)
    return load_model(agent.folder)


def _holds(wider: Any, narrower: Any) -> bool:
    # Whether a network's widths (or another fact of it) leave room for another's.
    if isinstance(wider, list) and isinstance(narrower, list) and len(wider) == len(narrower):
        return all(map(_holds, wider, narrower))
    if type(wider) is int and type(narrower) is int:
        return wider >= narrower and (narrower > 0) == (wider > 0)
    return bool(wider == narrower)


def warm_up(policy: Any, settings: Settings, steps: int) -> None:
    """Freeze the policy network while a new value network learns to judge it: `settings.critic_warmup`.

    Adam passes over parameters without gradients, so that their moments begin with their first update.
    """
    updates = steps // (settings.envs * settings.n_steps)
    warm = settings.start is not None or settings.imitate is not None
    frozen = warm and updates < settings.critic_warmup
    for parameter in policy_parameters(policy):
        parameter.requires_grad_(not frozen)
