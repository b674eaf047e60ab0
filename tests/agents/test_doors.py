"""Whatever is passed to a public function of agents and arena, the error is one line of ours."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents import exploitability
from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.schedule import Limits
from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
from spacemission_agents.models.folder import load_model, read_card, save_model
from spacemission_env.core.agents import act_alone, agent_names, make_agent, parse_mixture, prepare_agents
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game import make_game

pytestmark = pytest.mark.slow

KUHN = "kuhn_poker"
VALUES: list[object] = [
    None, 5, -1, 1.5, float("nan"), 10**30, True, "x", "", "\0", "a\nb", b"b", [], {}, [[1]], object(),
]  # fmt: skip
GAME = make_game(KUHN)
GAME.reset(1)
RANDOM = make_agent("random", KUHN)
TWO = ["a=random", "b=random"]

Door = Callable[..., object]
DOORS: dict[str, Door] = {
    "make_agent": make_agent,
    "make_agent, game": lambda v: make_agent("random", v),
    "make_agent, module": lambda v: make_agent(f"no{v}.such:Class"),
    "make_agent, folder": lambda v: make_agent(f"policy:{v}"),
    "play": lambda v: RANDOM.play(v),
    "choose, observation": lambda v: RANDOM.choose(v, GAME.mask()),
    "choose, mask": lambda v: RANDOM.choose(GAME.observe(), v),
    "choose, rng": lambda v: RANDOM.choose(GAME.observe(), GAME.mask(), v),
    "act_alone": lambda v: act_alone(v, GAME.ask()),
    "act_alone, decisions": lambda v: act_alone(RANDOM, v),
    "prepare_agents": lambda v: prepare_agents(v, GAME.info),
    "agent_names": agent_names,
    "parse_mixture": parse_mixture,
    "play_games": lambda v: play_games(v, [[0, 0]], [1], game=KUHN),
    "play_games, agent": lambda v: play_games([v], [[0, 0]], [1], game=KUHN),
    "play_games, rules": lambda v: play_games(["random"], [[0, 0]], [1], v, game=KUHN),
    "play_games, components": lambda v: play_games(["random"], [[0, 0]], [1], None, v, game=KUHN),
    "play_games, workers": lambda v: play_games(["random"], [[0, 0]], [1], workers=v, game=KUHN),
    "play_games, record": lambda v: play_games(["random"], [[0, 0]], [1], record=v, game=KUHN),
    "play_games, game": lambda v: play_games(["random"], [[0, 0]], [1], game=v),
    "define": lambda v: define(v, 2, Limits(2), game=KUHN),
    "define, agent": lambda v: define(["random", v], 2, Limits(2), game=KUHN),
    "run_tournament": run_tournament,
    "load_model": load_model,
    "read_card": read_card,
    "save_model": lambda v: save_model(v, {}, {}),
    "save_model, arrays": lambda v: save_model("model", v, {}),
    "save_model, card": lambda v: save_model("model", {}, v),
    "grow": lambda v: exploitability.grow(v),
    "grow, reward": lambda v: exploitability.grow(make_game(KUHN), v),
    **{
        f"define, {name}": lambda v, name=name: define(TWO, **{"players": 2, "game": KUHN, name: v})
        for name in ("players", "limits", "seed", "records")
    },
    **{
        f"define, {name}": lambda v, name=name: define(TWO, 2, Limits(**{name: v}), game=KUHN)
        for name in ("games", "interval", "seconds_per_decision", "test")
    },
    "run_tournament, options": lambda v: run_tournament(define(TWO, 2, Limits(2), game=KUHN), None, v),
    "run_tournament, folder": lambda v: run_tournament(define(TWO, 2, Limits(2), game=KUHN), v),
    **{
        f"run_tournament, {name}": lambda v, name=name: run_tournament(
            define(TWO, 2, Limits(2), game=KUHN), "\0", RunOptions(**{name: v})
        )
        for name in ("engine", "minutes", "workers", "ray_address", "resume")
    },
}


@pytest.mark.parametrize("door", DOORS)
def test_no_error_of_another_library_comes_through(
    door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for value in VALUES if door.endswith(("components", "resume")) else [*VALUES, np.zeros(3)]:
        with suppress(SpaceMissionError):  # it has one line
            DOORS[door](value)
    with pytest.raises(SpaceMissionError):
        DOORS[door](object())
