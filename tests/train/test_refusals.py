"""A run that cannot be made is refused in one line, before anything is written.

Runs, experiment files and `--set`: one table, one runner.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spacemission_env.core.agents import Agent
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_train.presets import settings_of
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


def of_run(make: Callable[..., Settings], changes: Json, model: str) -> object:
    given = {k: v.replace("VALUE", model) if isinstance(v, str) else v for k, v in changes.items()}
    return start(make(**given), Path("out"))


value, kuhn = partial(tiny, "scratch"), partial(tiny, "scratch", "kuhn_poker")
exploiter = partial(tiny, "exploit")

# Kind of run, changes of its settings, words of the message. VALUE: a model of values.
RUNS: list[tuple[Callable[..., Settings], Json, str]] = [
    (tiny, {"players": 6}, "2 to 5"),
    (tiny, {"players": ()}, "players: expected 1 to 100 numbers"),
    (tiny, {"envs": 0}, "envs: input should be greater than or equal to 1, not 0"),
    (tiny, {"envs": 4096, "n_steps": 65_536}, "n_steps: 4096 envs of 65536 steps exceed"),
    (tiny, {"gae_lambda": 1.5}, "gae_lambda: input should be less than or equal to 1"),
    (tiny, {"gae_lambda": float("nan")}, "gae_lambda: input should be "),
    (tiny, {"steps": None, "minutes": None}, "steps or minutes"),
    (tiny, {"epochs": 1.5}, "epochs: input should be a valid integer"),
    (tiny, {"learning_rate": (1e-3, 1e-4, 1e-5)}, "learning_rate"),
    (tiny, {"entropy": -1.0}, "entropy"),
    (tiny, {"reward": "money"}, "money"),
    (tiny, {"hidden": ()}, "hidden: expected 3 widths from 1 to 4096 for space_mission"),
    (tiny, {"opponents": "random"}, "random"),
    (tiny, {"opponents": "random=1,random=2"}, "twice"),
    (tiny, {"opponents": "nobody=0.2,latest=0.8"}, "agent 'nobody': unknown"),
    (tiny, {"opponents": "policy:nowhere=1"}, "no such folder"),
    (tiny, {"opponents": f"{HERE}:Nobody=1"}, "no Agent class 'Nobody'"),
    (tiny, {"opponents": f"{HERE}:Refusing=1"}, "Refusing: prepare: failed with RuntimeError: not wi"),
    (tiny, {"opponents": "VALUE=1", "rules": OTHER_RULES}, "max_rounds"),
    (tiny, {"colour": 3}, "unknown setting 'colour'"),
    (tiny, {"rules": "chess"}, "chess"),
    (tiny, {"temperature": 0.0}, "temperature"),
    (tiny, {"input": "observation"}, "input: expected one of 'afterstate_policy', "),
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
FILES = [
    ("learning_rat = 0.1", "unknown setting 'learning_rat'; did you mean 'learning_rate'"),
    ("zzz = 1", "unknown setting 'zzz'; known: preset, game, players"),
    ("envs = true", "envs: input should be a valid integer, not True"),
    ('gae_lambda = "0.9"', "gae_lambda: input should be a valid number, not '0.9'"),
    ("mixed = 1", "mixed: input should be a valid boolean, not 1"),
    ("players = [2, 2.5]", "players.1: input should be a valid integer, not 2.5"),
    ("rules = 3", "rules: input should be a valid string, not 3"),
    ('gae_lambda = "none"', "gae_lambda: input should be a valid number, not None"),
    ("[settings]\nenvs = 3", "unknown setting 'settings'"),
    ('preset = "slow"', "preset 'slow': unknown"),
    ('preset = "exploit"', "preset 'exploit': exploit is not set"),
    ('exploit = "greedy"\nopponents = "random=1"', "opponents: an exploiter"),
    ("envs = ", "not TOML"),
    ("", "the file has no settings"),
]
SETS = [
    ("envs", "--set envs: expected name=value"),
    ("env=3", "--set: unknown setting 'env'; did you mean 'envs'"),
    ("envs=many", "envs: input should be a valid integer, not 'many'"),
    ("envs=2.5", "envs: input should be a valid integer, not 2.5"),
    ("envs=3\nseed=4", "envs: input should be a valid integer"),
    ("gae_lambda=none", "gae_lambda: input should be a valid number"),
]
FILE = Path("e.toml")


def of_file(text: str) -> object:
    FILE.write_text(text + "\n")
    return settings_of(None, FILE, [], {})


CALLS: list[tuple[str, Callable[[str], object], str]] = [
    *((repr(changes), partial(of_run, make, changes), words) for make, changes, words in RUNS),
    *((text, lambda model, text=text: of_file(text), f"{FILE}: {words}") for text, words in FILES),
    *((text, lambda model, text=text: settings_of(None, None, [text], {}), words) for text, words in SETS),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"policy:{random_model(tmp_path_factory.mktemp('models') / 'value', rules=RULES['space_mission'])}"


@pytest.mark.parametrize(("call", "words"), [pytest.param(*row[1:], id=row[0]) for row in CALLS])
def test_a_run_that_cannot_be_made_is_refused_in_one_line_and_writes_nothing(
    call: Callable[[str], object], words: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpaceMissionError) as refused:
        call(model)
    assert words in str(refused.value) and "\n" not in str(refused.value)
    assert {file.name for file in tmp_path.iterdir()} <= {FILE.name}
