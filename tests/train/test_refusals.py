"""Tests that a run which cannot be made is refused in one line, before anything is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spacemission_env.core.agents import Agent
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_train.run import trainer
from spacemission_train.settings.presets import make_settings
from spacemission_train.settings.settings import Settings
from tests.support.afterstates import random_model
from tests.support.small_runs import VALUE, tiny, tiny_exploiter, tiny_value

HERE = __name__
OTHER_RULES = "printed,max_rounds=9"
PAST = "latest=0.5,past=0.5"


class Refusing(Agent):
    """Plays these games with nobody."""

    def prepare(self, info: Any) -> None:
        raise RuntimeError("not with me\nnor others")


def value_exploiter(**changes: Any) -> Settings:
    return tiny_value(**{"exploit": "greedy", "opponents": None, "final_games": 60, **changes})


def scratch(game: str) -> Callable[..., Settings]:
    return lambda **changes: make_settings("scratch", **{"game": game, **changes})


def policy(**changes: Any) -> Settings:
    of: Json = {"game": "space_mission", "method": "ppo", "input": "afterstate_policy", "hidden": (12, 8)}
    return make_settings("scratch", **{**of, **changes})


# Kind of run, changes of its settings, pattern of the message. MODEL: a policy; VALUE: a value of td.
REFUSED: list[tuple[Callable[..., Settings], Json, str]] = [
    (tiny, {"players": 6}, "2 to 5"),
    (tiny, {"players": ()}, "players: expected 1 to 100 numbers"),
    (tiny, {"envs": 0}, "envs: expected a whole number from 1 to 4096, not 0"),
    (tiny, {"gamma": 1.5}, "gamma"),
    (tiny, {"gamma": float("nan")}, "gamma: expected a number from 0.0 to 1.0, not nan"),
    (tiny, {"minutes": 0.0}, "minutes"),
    (lambda **changes: replace(tiny(), **changes), {"steps": None}, "steps or minutes"),
    (tiny, {"epochs": 1.5}, "epochs"),
    (tiny, {"learning_rate": float("nan")}, "learning_rate"),
    (tiny, {"critic_warmup": -1}, "critic_warmup"),
    (tiny, {"reward": "money"}, "money"),
    (tiny, {"hidden": ()}, "hidden"),
    (tiny, {"hidden": (0,)}, "hidden"),
    (tiny, {"opponents": "random"}, "random"),
    (tiny, {"opponents": "random=0"}, "0"),
    (tiny, {"opponents": "random=1,random=2"}, "twice"),
    (tiny, {"opponents": "random=nan"}, "random"),
    (tiny, {"opponents": "nobody=1"}, "nobody"),
    (tiny, {"colour": 3}, "colour"),
    (tiny, {"rules": "chess"}, "chess"),
    (tiny, {"start": "same"}, "start: 'same' is only for"),
    (tiny, {"start": "VALUE", "rules": VALUE["rules"]}, "network: "),
    (tiny, {"start": "preset:quick*2"}, r"'preset:quick\*2': only a network of afterstates"),
    (tiny_exploiter, {"target": "policy:nowhere"}, "no such folder"),
    (tiny_exploiter, {"target": "nobody"}, "nobody"),
    (tiny_exploiter, {"target": "latest"}, "frozen"),
    (tiny_exploiter, {"target": " "}, "exploit"),
    (tiny_exploiter, {"target": "MODEL", "rules": OTHER_RULES}, "max_rounds"),
    (tiny_exploiter, {"opponents": "random=1"}, "opponents"),
    (tiny_exploiter, {"start": "same"}, "greedy.*expected policy:PATH"),
    (tiny_exploiter, {"start": "policy:nowhere"}, "no such folder"),
    (tiny_exploiter, {"start": "MODEL", "hidden": (16, 7)}, r"hidden: is \[16, 8\]"),
    (tiny_exploiter, {"start": "MODEL", "rules": OTHER_RULES}, "max_rounds"),
    (value_exploiter, {"players": (2, 3)}, "players: an exploiter trains for one number of players"),
    (value_exploiter, {"start": "same"}, "'greedy': expected policy:PATH"),
    (value_exploiter, {"exploit": "VALUE", "start": "same", "hidden": (6, 8)}, "hidden: is"),
    (value_exploiter, {"exploit": "VALUE", "start": "same", "planets": 4}, "planets: is"),
    (value_exploiter, {"exploit": f"{HERE}:Refusing"}, "Refusing: prepare: failed with RuntimeError: not wi"),
    (value_exploiter, {"exploit": "past"}, "expected a frozen agent"),
    (tiny_value, {"opponents": PAST}, "opponents: 'past': not with input 'afterstate'"),
    (tiny_value, {"opponents": "nobody=0.2,latest=0.8"}, "agent 'nobody': unknown"),
    (tiny_value, {"opponents": "policy:nowhere=1"}, "no such folder"),
    (tiny_value, {"opponents": f"{HERE}:Nobody=1"}, "no Agent class 'Nobody'"),
    (tiny_value, {"opponents": f"{HERE}:Refusing=1"}, "Refusing: prepare: failed with RuntimeError: not wi"),
    (tiny_value, {"opponents": "VALUE=1", "rules": OTHER_RULES}, "max_rounds"),
    (tiny_value, {"reward": "rank"}, "reward: only 'win' with input 'afterstate'"),
    (tiny_value, {"method": "ppo"}, "input: 'afterstate' is for method 'td'"),
    (tiny_value, {"method": "sarsa"}, "method"),
    (tiny_value, {"temperature": 0.0}, "temperature"),
    (tiny_value, {"random_moves": 1.5}, "random_moves"),
    (tiny_value, {"hidden": (8,)}, "two widths in hidden"),
    (tiny_value, {"planets": 0}, "planets"),
    (tiny_value, {"planets": 0, "input": "observation"}, "method: 'td' needs an input that judges moves"),
    (tiny_value, {"start": "VALUE", "hidden": (6, 8)}, "hidden: is"),
    (tiny_value, {"start": "VALUE", "planets": 4}, "planets: is"),
    (tiny_value, {"start": "greedy"}, "expected policy:PATH"),
    (tiny_value, {"start": "policy:scratch", "rules": "printed"}, "network: hidden: is"),
    (tiny_value, {"start": "preset:nothing"}, "preset 'nothing': unknown"),
    (tiny_value, {"start": "preset:quick"}, "expected a preset with afterstates that starts"),
    (tiny_value, {"start": "preset:scratch*1"}, r"expected preset:NAME or preset:NAME\*2 to \*8"),
    (tiny_value, {"start": "preset:scratch*x"}, r"expected preset:NAME or preset:NAME\*2 to \*8"),
    (tiny_value, {"start": "preset:scratch*3"}, r"planets: .*: 'preset:scratch\*3' needs multiples of 3"),
    (scratch("kuhn_poker"), {"planets": 8}, "settings: planets: expected 0 for the game kuhn_poker"),
    (scratch("kuhn_poker"), {"method": "ppo"}, "settings: input: 'afterstate' is for method 'td'"),
    (scratch("kuhn_poker"), {"input": "observation"}, "settings: method: 'td' needs an input that judges"),
    (scratch("kuhn_poker"), {"input": "afterstate_rated"}, "settings: input: expected one of 'observation',"),
    (scratch("kuhn_poker"), {"hidden": (8,)}, "input 'afterstate': expected relu, planets 0, two widths"),
    (scratch("kuhn_poker"), {"hidden": (8, 8, 8)}, "'afterstate': expected relu, planets 0, two widths"),
    (scratch("planet_hexx"), {"planets": 0}, "settings: input 'afterstate': expected relu, planets, two"),
    (policy, {"planets": 0}, "planets"),
    (policy, {"hidden": (8,)}, "two widths"),
    (policy, {"method": "td"}, "judges moves"),
    (policy, {"opponents": PAST}, "'past': not with input 'afterstate_policy'"),
    (policy, {"reward": "score_margin"}, "only 'win' with input"),
    (policy, {"top_advantages": 0.0}, "top_advantages"),
]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Specs of a model by PPO and of a value."""
    folder = tmp_path_factory.mktemp("models")
    trainer.start(tiny_exploiter(steps=128, seed=7, final_games=4), folder / "out")
    value = random_model(folder / "value", rules=VALUE["rules"])
    return {"MODEL": f"policy:{folder / 'out' / 'model'}", "VALUE": f"policy:{value}"}


@pytest.mark.parametrize(
    ("make", "changes", "words"),
    [
        row if row[0] is tiny and "start" not in row[1] else pytest.param(*row, marks=pytest.mark.slow)
        for row in REFUSED
    ],
)
def test_a_run_that_cannot_be_made_is_refused_in_one_line_and_writes_nothing(
    make: Callable[..., Settings],
    changes: Json,
    words: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    def model(found: re.Match[str]) -> str:
        return str(request.getfixturevalue("models")[found[0]])

    def named(value: object) -> object:
        return re.sub("MODEL|VALUE", model, value) if type(value) is str else value

    with pytest.raises(SpaceMissionError, match=words) as refused:
        trainer.start(make(**{name: named(value) for name, value in changes.items()}), tmp_path / "out")
    assert "\n" not in str(refused.value) and not (tmp_path / "out").exists()
