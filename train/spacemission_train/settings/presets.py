"""The presets of training runs, and settings put together from them and from changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any

from spacemission_train.settings.settings import EXPLOIT, EXPLOIT_GAMES, Settings, SettingsError

# The score margin, most of it paid as it is gained, taught faster here than the bare win. `quick` has to be
# good within minutes, also where nothing is compiled yet: small and frequent updates at twice the learning
# rate of `standard` (two seeds each: 59 and 62 % against greedy; 52 and 56 with 5e-4, 56 and 58 with 2e-3).
PRESETS: dict[str, Settings] = {
    "quick": Settings(),
    "standard": Settings(
        preset="standard",
        steps=8_000_000,
        envs=128,
        n_steps=64,
        batch_size=1024,
        learning_rate=5e-4,
        checkpoint_steps=400_000,
    ),
    # Begins where `heuristic` stands. Luck hides small differences, so the reward is half the win and half
    # the margin, which tells more of a game than who won, and the batches are large; the networks are small,
    # as larger ones gained nothing in the same time.
    "strong": Settings(
        preset="strong",
        players=(2, 3, 4, 5),
        reward="win",
        shaping=5.0,
        steps=28_000_000,
        envs=512,
        n_steps=32,
        batch_size=4096,
        epochs=4,
        learning_rate=1e-3,
        last_learning_rate=3e-5,
        gamma=0.999,
        gae_lambda=0.9,
        entropy=0.002,
        last_entropy=0.0005,
        opponents="heuristic=0.45,latest=0.15,past=0.2,greedy=0.2",
        pfsp=1.0,
        hidden=(64, 64),
        input="rated",
        planets=16,
        critic="full",
        augment=True,
        critic_warmup=10,
        ahead=True,
        checkpoint_steps=2_000_000,
    ),
    EXPLOIT: Settings(
        preset=EXPLOIT,
        steps=10_000_000,
        envs=128,
        n_steps=64,
        batch_size=1024,
        learning_rate=5e-4,
        checkpoint_steps=500_000,
        final_games=EXPLOIT_GAMES,
        critic_warmup=5,
    ),
}


def make_settings(preset: str = "quick", **changes: Any) -> Settings:
    """A preset with some settings changed; changes that are None change nothing.

    A time limit alone replaces the preset's limit of steps, so that the run lasts that long.

    Raises:
        SpaceMissionError: one line naming the preset or the setting.
    """
    given = {name: value for name, value in changes.items() if value is not None}
    if isinstance(given.get("players"), int):
        given["players"] = (given["players"],)
    return combine(preset, [given])


def combine(preset: str, layers: Sequence[dict[str, Any]]) -> Settings:
    """A preset with settings changed by several layers, the later the stronger; here None is a value too.

    Where a layer sets `minutes` and not `steps`, there is no limit of steps; where one sets `exploit`, the
    opponents of weaker layers are dropped.

    Raises:
        SpaceMissionError: one line naming the preset or the setting.
    """
    if preset not in PRESETS:
        raise SettingsError(f"preset {preset!r}: unknown; known: {', '.join(PRESETS)}")
    given: dict[str, Any] = {}
    for layer in layers:
        for name in layer:
            check_known(name)
        if layer.get("minutes") is not None:
            given["steps"] = None
        if layer.get("exploit") is not None:
            given.pop("opponents", None)
        given |= layer
    given.pop("preset", None)
    if given.get("exploit") is not None:
        if "opponents" in given:
            raise SettingsError("settings: opponents: an exploiter meets its target alone; leave them away")
        given.setdefault("final_games", max(EXPLOIT_GAMES, PRESETS[preset].final_games))
    elif preset == EXPLOIT:
        raise SettingsError(f"preset {preset!r}: exploit is not set: the agent to train against")
    return replace(PRESETS[preset], **given)


def check_known(name: str, where: str = "settings") -> None:
    """Refuse a name that no setting has; the line proposes the nearest."""
    known = [setting.name for setting in fields(Settings)]
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
        raise SettingsError(f"{where}: unknown setting {name!r}; {hint}")
