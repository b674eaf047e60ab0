"""Checks the card of a model folder, `card.json`.

| entry | holds |
| --- | --- |
| `format` | 1 |
| `env` | the game, such as `space_mission_v0` |
| `environment_version` | version of this package that trained it; all versions are accepted |
| `rules` | all rules options; null: the default for the number of players |
| `components_sha256` | digest of the components that it was trained with |
| `observation` | `perfect_recall` or `table` |
| `layout_version`, `observation_size`, `action_count` | input and output of the network |
| `network` | `{"hidden": [widths], "activation": "relu" or "tanh"}` and optional entries, see below |
| `weights_sha256` | digest of `weights.safetensors` |
| `ratings_sha256` | digest of the weights of `heuristic`, for a network that reads its ratings |
| `training`, `results` | command, preset, seed, steps, …, and measurements; for people |

Optional entries of `network`: `input` (network_input.py; default `observation`); `planets`, width of the
layer that all rows of features share (default 0: no such layer); `mixed`, whether the model samples its moves
(default false); and for value networks `reward`, with name, lowest and highest value of the reward that they
predict (default: the win).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager

from spacemission_agents.models.network_input import Pin, find_network_input
from spacemission_env.core.agents import Agent
from spacemission_env.core.errors import AgentError, RulesError
from spacemission_env.core.game_spec import (
    OBSERVATIONS,
    GameSpec,
    Rules,
    find_game,
    game_names,
    game_of_env,
    version_of,
)
from spacemission_env.core.reading import Json

FORMAT = 1
ACTIVATIONS = ("tanh", "relu")
MAX_LAYERS = 8
MAX_WIDTH = 8192

KEYS = (
    "format", "env", "layout_version", "observation_size", "action_count", "environment_version", "rules",
    "components_sha256", "observation", "network", "weights_sha256", "training", "results",
)  # fmt: skip
NETWORK_KEYS = ("hidden", "activation", "input", "planets", "mixed", "reward")
DIGEST = r"[0-9a-f]{64}", "64 hexadecimal digits"


def weights_digest(agent: Agent | None) -> str | None:
    """Digest of an agent's weights from its attribute `card`; None without a card."""
    card = getattr(agent, "card", None)
    return card.get("weights_sha256") if isinstance(card, dict) else None


@contextmanager
def errors_at(where: str) -> Iterator[None]:
    """Begin the message of an AgentError with the place of the fault."""
    try:
        yield
    except AgentError as error:
        raise AgentError(f"{where}: {error}") from None


def card_game(card: Json) -> GameSpec:
    """The game of a checked card."""
    spec = game_of_env(card["env"])
    assert spec is not None
    return spec


def fixed(spec: GameSpec) -> Json:
    """The entries of a card that have one possible value for a game."""
    return {
        "format": FORMAT,
        "env": spec.env,
        "layout_version": spec.layout_version,
        "observation_size": spec.observation_size,
        "action_count": spec.action_count,
    }


def complete_card(card: Json, weights_sha256: str, spec: GameSpec) -> Json:
    """The card, completed by the entries that follow from this version, the game and the weights."""
    given = {"observation": "perfect_recall", "results": {}, **card}
    pins = {key: pin.sha256 for key, pin in _pinned(card, spec).items()}
    own = {"environment_version": version_of(spec), "weights_sha256": weights_sha256}
    return {**given, **fixed(spec), **own, **pins}


def _pinned(card: Json, spec: GameSpec) -> dict[str, Pin]:
    network = card.get("network")
    return find_network_input(spec).pinned(network) if isinstance(network, dict) else {}


def checked_card(card: object) -> Json:
    """The card, checked; AgentError names the entry that is invalid."""
    if not isinstance(card, dict):
        raise AgentError(f"expected an object, not {type(card).__name__}")
    spec = game_of_env(card["env"]) if "env" in card else find_game()
    if spec is None:
        known = " or ".join(repr(find_game(name).env) for name in game_names())
        raise AgentError(f"env: this version reads {known}, not {card['env']!r}")
    for key, expected in fixed(spec).items():  # first, because another format may have other entries
        if key not in card:
            raise AgentError(f"{key!r} is missing")
        if type(card[key]) is not type(expected) or card[key] != expected:
            raise AgentError(f"{key}: this version reads {expected!r}, not {card[key]!r}")
    pinned = _pinned(card, spec)
    _same_keys(card, (*KEYS, *pinned))
    _text(card, "environment_version", r"\S.{0,99}", "a version")
    for key in ("components_sha256", "weights_sha256", *pinned):
        _text(card, key, *DIGEST)
    _one_of(card, "observation", OBSERVATIONS)
    for key in ("training", "results", "network", "rules"):
        if not isinstance(card[key], dict):
            raise AgentError(f"{key}: expected an object, not {card[key]!r}")
    with errors_at("network"):
        _check_network(card["network"], spec)
    try:
        spec.make_rules(card["rules"])
    except RulesError as error:
        raise AgentError(str(error)) from None
    for key, pin in pinned.items():
        if card[key] != pin.sha256:
            raise AgentError(
                f"{key}: trained with other {pin.what}: {card[key][:12]}…, installed {pin.sha256[:12]}…; "
                "restore them, or train again"
            )
    return card


def rules_mismatch(card: Json, played: Rules) -> str | None:
    """A line that names the first option that differs between training and `played`, or None.

    An option that is not in the card has its default value.
    """
    spec, now = card_game(card), played.to_json()
    for name, trained in spec.make_rules(card["rules"]).to_json().items():
        if not find_network_input(spec).same_option(name, trained, now[name], card["observation"]):
            return f"rules: {name}: trained with {trained!r}, the game has {now[name]!r}"
    return None


def _same_keys(entry: Json, known: tuple[str, ...]) -> None:
    for key in known:
        if key not in entry:
            raise AgentError(f"{key!r} is missing")
    for key in entry:
        if key not in known:
            raise AgentError(f"unknown entry {key!r}")


def _text(card: Json, key: str, pattern: str, expected: str) -> None:
    if not isinstance(card[key], str) or not re.fullmatch(pattern, card[key]):
        raise AgentError(f"{key}: expected {expected}, not {card[key]!r}")


def _one_of(entry: Json, key: str, choices: tuple[str, ...]) -> None:
    if entry[key] not in choices:
        raise AgentError(f"{key}: expected {' or '.join(choices)}, not {entry[key]!r}")


def _check_network(network: Json, spec: GameSpec) -> None:
    network_input = find_network_input(spec)
    whole = {"input": network_input.inputs[0], "planets": 0, "mixed": False, "reward": None, **network}
    _same_keys(whole, NETWORK_KEYS)
    _one_of(network, "activation", ACTIVATIONS)
    _one_of(whole, "input", network_input.inputs)
    hidden = network["hidden"]
    if not isinstance(hidden, list) or not 1 <= len(hidden) <= MAX_LAYERS:
        raise AgentError(f"hidden: expected 1 to {MAX_LAYERS} layer widths, not {hidden!r}")
    if any(type(width) is not int or not 1 <= width <= MAX_WIDTH for width in hidden):
        raise AgentError(f"hidden: expected widths from 1 to {MAX_WIDTH}, not {hidden!r}")
    width, most = whole["planets"], MAX_WIDTH if whole["input"] in network_input.with_rows else 0
    if type(width) is not int or not 0 <= width <= most:
        raise AgentError(f"planets: expected a width from 0 to {most} with this input, not {width!r}")
    if type(whole["mixed"]) is not bool:
        raise AgentError(f"mixed: expected true or false, not {whole['mixed']!r}")
    if whole["reward"] is not None and not _is_reward(whole["reward"], spec):
        names = ", ".join(spec.reward_names)
        raise AgentError(f"reward: expected one of {names}, and its bounds, not {whole['reward']!r}")
    network_input.shapes(network)


def _is_reward(given: object, spec: GameSpec) -> bool:
    # Whether an entry is a reward's name, its lowest and its highest value.
    if not isinstance(given, list) or len(given) != 3 or given[0] not in spec.reward_names:
        return False
    low, high = given[1:]
    return type(low) in (int, float) and type(high) in (int, float) and -math.inf < low < high < math.inf
