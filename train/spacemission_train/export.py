"""Saves a network trained elsewhere as a model folder for `policy:FOLDER`.

The network must consist of `Linear` layers with `Tanh` or `ReLU` between them, and read the flat observation.
This module does not read SB3's files, because they contain pickles.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from spacemission_agents.models.folder import save_model
from spacemission_env.core.errors import AgentError, shown
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.reading import Json

ACTIVATIONS = {nn.Tanh: "tanh", nn.ReLU: "relu"}
PASSED = (nn.Flatten, nn.Identity, nn.Dropout)  # layers to leave out, because they change nothing in play


def save_policy(
    folder: str | Path,
    policy: object,
    *,
    game: str | GameSpec = DEFAULT_GAME,
    players: int | tuple[int, ...] | list[int] = 2,
    rules: object = None,
    components: object = None,
    observation: str = "perfect_recall",
    command: str = "",
    training: Json | None = None,
) -> Json:
    """Write a policy as a model folder, so that it plays as `policy:FOLDER`.

    Args:
        folder: a new folder, or a model folder to replace.
        policy: a model of SB3 (`MaskablePPO`, `PPO`, `A2C`) or its `policy`, an "MlpPolicy" with hidden
            layers; or a `torch.nn.Sequential` of `Linear` layers with `Tanh` or `ReLU` between them, from the
            observation, float32 (observation_size,), to one logit for each action, float32 (actions,).
        game: name of the game.
        players: number of players in training, or several numbers; for the card.
        rules: the environment's rules. The agent refuses games with other `rules` or `components`.
        components: the environment's components; None: the ones that ship.
        observation: "perfect_recall" or "table".
        command: command that trained the policy; for the card.
        training: further facts of the training, as JSON types; for the card.

    Returns:
        The card as written.

    Raises:
        AgentError: a part of the policy does not fit, or the folder cannot be written.
        RulesError, ComponentsError: `rules`, `components` or `players` is refused.
    """
    spec = find_game(game)
    listed = players if isinstance(players, list | tuple) and players else [players]
    numbers = [spec.check_num_players(number) for number in listed]
    arrays, network = network_of(policy)
    _check_widths(arrays, spec)
    card = {
        "rules": spec.make_rules(rules).to_json(),
        "components_sha256": spec.load_components(components).sha256,
        "observation": observation,
        "network": network,
        "training": {"players": numbers, "command": command, **(training or {})},
    }
    return save_model(folder, arrays, card, spec)


def network_of(policy: object) -> tuple[dict[str, np.ndarray], Json]:
    """Copies of a policy's weights under the names of a model folder, and the card's entry `network`.

    AgentError: a part of the policy is of a kind that `save_policy` refuses.
    """
    linear, activation = _layers(policy)
    arrays = {}
    for i, layer in enumerate(linear):
        arrays[f"policy.{i}.weight"] = _array(layer.weight)
        none = np.zeros(layer.out_features, np.float32)
        arrays[f"policy.{i}.bias"] = none if layer.bias is None else _array(layer.bias)
    return arrays, {"hidden": [layer.out_features for layer in linear[:-1]], "activation": activation}


def _array(tensor: torch.Tensor) -> np.ndarray:
    return np.array(tensor.detach().float().cpu().numpy())


def _layers(policy: object) -> tuple[list[nn.Linear], str]:
    # The dense layers in order, and the activation between them.
    modules = _plain(policy) if isinstance(policy, nn.Sequential) else _of_sb3(policy)
    linear = [module for module in modules if isinstance(module, nn.Linear)]
    between = {ACTIVATIONS.get(type(module)) for module in modules[1::2]}
    in_turn = modules[::2] == linear and len(modules) == 2 * len(linear) - 1
    if len(linear) < 2 or not in_turn or len(between) != 1:
        names = ", ".join(type(module).__name__ for module in modules) or "no layers"
        raise _refused(
            f"expected Linear layers, at least two, with Tanh or with ReLU between them, not {names}"
        )
    return linear, str(between.pop())


def _plain(module: nn.Module) -> list[nn.Module]:
    # The layers of a module, without those that do nothing in play; refuses other kinds.
    if isinstance(module, nn.Sequential):
        return [layer for part in module for layer in _plain(part)]
    if type(module) is nn.Linear or type(module) in ACTIVATIONS:
        return [module]
    if isinstance(module, PASSED):
        return []
    raise _refused(f"expected Linear, Tanh and ReLU layers, not {type(module).__name__}")


def _of_sb3(given: object) -> list[nn.Module]:
    policy = getattr(given, "policy", given)
    parts: list[Any] = [
        getattr(policy, name, None) for name in ("features_extractor", "mlp_extractor", "action_net")
    ]
    if any(part is None for part in parts):
        raise _refused(
            "expected an SB3 model with an actor and a critic, its policy, or a torch.nn.Sequential, "
            f"not {type(given).__name__ if isinstance(given, nn.Module) else shown(given)}"
        )
    features, extractor, action_net = parts
    if type(features).__name__ != "FlattenExtractor" or type(extractor).__name__ != "MlpExtractor":
        raise _refused(
            f"expected an 'MlpPolicy' of the flat observation, not {type(features).__name__} and "
            f"{type(extractor).__name__}"
        )
    normalised = getattr(given, "get_vec_normalize_env", lambda: None)()
    if normalised is not None and normalised.norm_obs:
        raise _refused("its observations are normalised by VecNormalize; train with norm_obs=False")
    return [*_plain(extractor.policy_net), *_plain(action_net)]


def _check_widths(arrays: dict[str, np.ndarray], spec: GameSpec) -> None:
    weights = [array for name, array in arrays.items() if name.endswith(".weight")]
    for first, second in pairwise(weights):
        if len(first) != second.shape[1]:
            raise _refused(f"a layer gives {len(first)} numbers, the next takes {second.shape[1]}")
    for what, has, wanted in (
        ("observation", weights[0].shape[1], spec.observation_size),
        ("actions", len(weights[-1]), spec.action_count),
    ):
        if has != wanted:
            raise _refused(f"{what}: {spec.name} has {wanted}, the network {has}")


def _refused(why: str) -> AgentError:
    return AgentError(f"save_policy: {why}")
