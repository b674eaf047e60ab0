"""Saves a network that was trained elsewhere as a model folder, which `policy:FOLDER` plays.

It takes networks of the flat observation made of `Linear` layers with `Tanh` or `ReLU` between them. No file
of SB3's is read: these hold pickles.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from spacemission_agents.models.folder import save_model
from spacemission_env.core.arguments import is_whole
from spacemission_env.core.errors import AgentError, shown
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game

ACTIVATIONS = {nn.Tanh: "tanh", nn.ReLU: "relu"}
PASSED = (nn.Flatten, nn.Identity, nn.Dropout)  # change no number in play


def save_policy(
    folder: str | Path,
    policy: Any,
    *,
    game: str | GameSpec = DEFAULT_GAME,
    players: int | tuple[int, ...] | list[int] = 2,
    rules: Any = None,
    components: Any = None,
    observation: str = "perfect_recall",
    command: str = "",
    training: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Write a policy as a model folder; it plays as `policy:FOLDER` wherever agents are named.

    Args:
        folder: where; a model that is there is replaced, anything else is left alone.
        policy: a model of SB3 (`MaskablePPO`, `PPO`, `A2C`) or its `policy`, an "MlpPolicy" with hidden
            layers; or a `torch.nn.Sequential` of `Linear` layers with `Tanh` or `ReLU` between them, from the
            observation, float32 (observation_size,), to a logit an action, float32 (actions,).
        game: which it plays, by name.
        players: for how many players it was trained; for people.
        rules: as the environment was made with, as the next two. A game with others is refused later.
        components: None: the box that ships.
        observation: "perfect_recall" or "table".
        command: how it was trained; for people.
        training: more of that, as JSON types.

    Returns:
        The card as written.

    Raises:
        AgentError: one line on what in the policy cannot be written, or on the folder; nothing has changed.
        RulesError, ComponentsError: of `rules`, `components`, `players`.
    """
    spec = find_game(game)
    listed = [players] if is_whole(players) else list(players)  # type: ignore[arg-type]
    numbers = [spec.check_num_players(number) for number in listed]
    linear, activation = _layers(policy)
    _check_widths(linear, spec)
    arrays = {}
    for i, layer in enumerate(linear):
        arrays[f"policy.{i}.weight"] = _array(layer.weight)
        none = np.zeros(layer.out_features, np.float32)
        arrays[f"policy.{i}.bias"] = none if layer.bias is None else _array(layer.bias)
    card = {
        "rules": spec.make_rules(rules).to_json(),
        "components_sha256": spec.load_components(components).sha256,
        "observation": observation,
        "network": {"hidden": [layer.out_features for layer in linear[:-1]], "activation": activation},
        "training": {"players": numbers, "command": command, **(training or {})},
    }
    return save_model(folder, arrays, card, spec)


def _array(tensor: Any) -> np.ndarray:
    array: np.ndarray = tensor.detach().float().cpu().numpy()
    return array


def _layers(policy: Any) -> tuple[list[nn.Linear], str]:
    # All dense layers in order, and the activation between them.
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


def _plain(module: Any) -> list[nn.Module]:
    # The layers inside, those that do nothing in play left out; refused where one is of another kind.
    if isinstance(module, nn.Sequential):
        return [layer for part in module for layer in _plain(part)]
    if type(module) is nn.Linear or type(module) in ACTIVATIONS:
        return [module]
    if isinstance(module, PASSED):
        return []
    raise _refused(f"expected Linear, Tanh and ReLU layers, not {type(module).__name__}")


def _of_sb3(given: Any) -> list[nn.Module]:
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
            f"expected an 'MlpPolicy' of the flat observation, not one with {type(features).__name__} and "
            f"{type(extractor).__name__}"
        )
    normalised = getattr(given, "get_vec_normalize_env", lambda: None)()
    if normalised is not None and normalised.norm_obs:
        raise _refused("its observations are normalised by VecNormalize; train with norm_obs=False")
    return [*_plain(extractor.policy_net), *_plain(action_net)]


def _check_widths(linear: list[nn.Linear], spec: GameSpec) -> None:
    for first, second in pairwise(linear):
        if first.out_features != second.in_features:
            raise _refused(f"a layer gives {first.out_features} numbers, the next takes {second.in_features}")
    for what, has, wanted in (
        ("observation", linear[0].in_features, spec.observation_size),
        ("actions", linear[-1].out_features, spec.action_count),
    ):
        if has != wanted:
            raise _refused(f"{what}: {spec.name} has {wanted}, the network {has}")


def _refused(why: str) -> AgentError:
    return AgentError(f"save_policy: {why}")
