"""Provides Mission to Planet Hexx! as a PettingZoo AEC environment.

| | |
| --- | --- |
| agents | `player_0` … `player_3` (2 to 4, in seat order) |
| action space | `Discrete(425)`, see docs/planet_hexx_actions.md |
| observation | dict: `observation` float32 (6757,) in [0, 1], see docs/planet_hexx_observation.md; |
| | `action_mask` int8 (425,) |
| rewards | 0 before the end; then by `reward`: "win" or "uploads" |
| end | all agents terminate together, also after `max_turns` turns per player (see `at_round_limit`) |

One step is one decision. A seat may decide several times in a row, and other seats decide in between when
they may answer with a Surprise. The others do not learn which seat is asked. The action mask of a seat
that is not to act is zero.

`planes(observation)`: the board as planes (29, 17, 17) for convolutional networks, named by `PLANE_NAMES`.

`rules`: a dict of options, text such as "equal_turns=true", or a `Rules` object.
"""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from spacemission_env.frontends.aec import GameAEC, InOrder

__all__ = ["PLANE_NAMES", "env", "planes", "raw_env"]

GAME = "planet_hexx"
_PLANES = f"spacemission_env.games.{GAME}.planes"  # only a game's own folders may import it
PLANE_NAMES: tuple[str, ...] = resolve_name(f"{_PLANES}:PLANE_NAMES")
planes: Callable[[np.ndarray], np.ndarray] = resolve_name(f"{_PLANES}:planes")


def env(**options: Any) -> AECEnv:
    """The environment in PettingZoo's order-enforcing wrapper; it takes the options of `raw_env`."""
    return InOrder(raw_env(**options))


class raw_env(GameAEC):  # noqa: N801 - the name that PettingZoo environments have
    """The AEC environment without wrappers; arguments as for `GameAEC`."""

    metadata = {**GameAEC.metadata, "name": "planet_hexx_v0"}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, game=GAME, **options)  # type: ignore[misc]  # a second game is refused
