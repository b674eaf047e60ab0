"""Provides Space Mission as a PettingZoo AEC environment.

| | |
| --- | --- |
| agents | `player_0` … `player_4` (2 to 5, in seat order) |
| action space | `Discrete(101)`, see docs/actions.md |
| observation | dict: `observation` float32 (1554,) in [0, 1], `action_mask` int8 (101,) |
| rewards | 0 before the end; then by `reward`: "win", "rank" or "score_margin" |
| end | all agents terminate together, also after `max_rounds` rounds (SM-53; see `at_round_limit`) |

One step is one decision; a seat decides several times in a row (two actions per turn, and a choice of tile
after scan, develop and discover). After the end, `agent_selection` visits the agents in seat order: each
reads its final reward from `last()` and steps with None.

`rules`: a preset name ("printed", "yucata"), a `Rules` object, or a dict of options (docs/rules_options.md).
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from spacemission_env.frontends.aec import GameAEC, InOrder

GAME = "space_mission"


def env(**options: Any) -> AECEnv:
    """The environment in PettingZoo's order-enforcing wrapper; it takes the options of `raw_env`."""
    return InOrder(raw_env(**options))


class raw_env(GameAEC):  # noqa: N801 - the name that PettingZoo environments have
    """The AEC environment without wrappers; arguments as for `GameAEC`."""

    metadata = {**GameAEC.metadata, "name": "space_mission_v0"}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, game=GAME, **options)  # type: ignore[misc]  # a second game is refused
