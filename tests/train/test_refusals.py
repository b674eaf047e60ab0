"""Tests that a run which cannot be made is refused in one line, before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spacemission_env.core.agents import Agent
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_train.run import start
from spacemission_train.settings import Settings
from tests.support.afterstates import random_model
from tests.support.small_runs import RULES, tiny

HERE = __name__
OTHER_RULES = "printed,max_rounds=9"


class Refusing(Agent):
    """Plays these games with nobody."""

    def prepare(self, info: Any) -> None:
        raise RuntimeError("not with me\nnor others")


value, kuhn = partial(tiny, "scratch"), partial(tiny, "scratch", "kuhn_poker")
exploiter = partial(tiny, "exploit")

# Kind of run, changes of its settings, pattern of the message. VALUE: a model of values.
REFUSED: list[tuple[Callable[..., Settings], Json, str]] = [
    (tiny, {"players": 6}, "2 to 5"),
    (tiny, {"players": ()}, "players: expected 1 to 100 numbers"),
    (tiny, {"envs": 0}, "envs: input should be greater than or equal to 1, not 0"),
    (tiny, {"envs": True}, "envs: input should be a valid integer, not True"),
    (tiny, {"envs": 4096, "n_steps": 65_536}, "n_steps: 4096 envs of 65536 steps exceed"),
    (tiny, {"gae_lambda": 1.5}, "gae_lambda: input should be less than or equal to 1"),
    (tiny, {"gae_lambda": float("nan")}, "gae_lambda: input should be .*, not nan"),
    (tiny, {"minutes": 0.0}, "minutes"),
    (tiny, {"steps": None, "minutes": None}, "steps or minutes"),
    (tiny, {"epochs": 1.5}, "epochs: input should be a valid integer"),
    (tiny, {"learning_rate": float("nan")}, "learning_rate"),
    (tiny, {"learning_rate": (1e-3, 1e-4, 1e-5)}, "learning_rate"),
    (tiny, {"entropy": -1.0}, "entropy"),
    (tiny, {"reward": "money"}, "money"),
    (tiny, {"hidden": ()}, "hidden: expected 3 widths from 1 to 4096 for space_mission"),
    (tiny, {"hidden": (5, 0, 6)}, "hidden: expected 3 widths"),
    (tiny, {"opponents": "random"}, "random"),
    (tiny, {"opponents": "random=0"}, "0"),
    (tiny, {"opponents": "random=1,random=2"}, "twice"),
    (tiny, {"opponents": "random=nan"}, "random"),
    (tiny, {"opponents": "nobody=0.2,latest=0.8"}, "agent 'nobody': unknown"),
    (tiny, {"opponents": "policy:nowhere=1"}, "no such folder"),
    (tiny, {"opponents": f"{HERE}:Nobody=1"}, "no Agent class 'Nobody'"),
    (tiny, {"opponents": f"{HERE}:Refusing=1"}, "Refusing: prepare: failed with RuntimeError: not wi"),
    (tiny, {"opponents": "VALUE=1", "rules": OTHER_RULES}, "max_rounds"),
    (tiny, {"colour": 3}, "unknown setting 'colour'"),
    (tiny, {"rules": "chess"}, "chess"),
    (tiny, {"temperature": 0.0}, "temperature"),
    (tiny, {"input": "observation"}, "input: expected one of 'afterstate_policy', .*, not 'observation'"),
    (tiny, {"start": "greedy"}, "expected policy:PATH"),
    (tiny, {"start": "policy:nowhere"}, "no such folder"),
    (tiny, {"start": "VALUE", "rules": OTHER_RULES}, "max_rounds"),
    (value, {"mixed": True}, "mixed: only a policy can be mixed, not input 'afterstate'"),
    (kuhn, {"hidden": (8, 8, 8)}, "hidden: expected 2 widths from 1 to 4096 for kuhn_poker"),
    (kuhn, {"input": "afterstate_rated"}, "input: expected one of 'afterstate_policy', 'afterstate', not"),
    (exploiter, {}, "preset 'exploit': exploit is not set"),
    (exploiter, {"exploit": "policy:nowhere"}, "no such folder"),
    (exploiter, {"exploit": "nobody"}, "nobody"),
    (exploiter, {"exploit": "latest"}, "expected a frozen agent"),
    (exploiter, {"exploit": ""}, "exploit"),
    (exploiter, {"exploit": "VALUE", "rules": OTHER_RULES}, "max_rounds"),
    (
        exploiter,
        {"exploit": "greedy", "opponents": "random=1"},
        "opponents: an exploiter plays only its target",
    ),
    (exploiter, {"exploit": "greedy", "players": (2, 3)}, "players: an exploiter trains for one number"),
    (exploiter, {"exploit": f"{HERE}:Refusing"}, "Refusing: prepare: failed with RuntimeError: not wi"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"policy:{random_model(tmp_path_factory.mktemp('models') / 'value', rules=RULES['space_mission'])}"


@pytest.mark.parametrize(("make", "changes", "words"), REFUSED)
def test_a_run_that_cannot_be_made_is_refused_in_one_line_and_writes_nothing(
    make: Callable[..., Settings], changes: Json, words: str, model: str, tmp_path: Path
) -> None:
    given = {k: v.replace("VALUE", model) if isinstance(v, str) else v for k, v in changes.items()}
    with pytest.raises(SpaceMissionError, match=words) as refused:
        start(make(**given), tmp_path / "out")
    assert "\n" not in str(refused.value) and not (tmp_path / "out").exists()
