"""Positions after moves: random games, moves in progress, and value networks with random weights."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from spacemission_agents.afterstates.network import INPUT, Network, shapes
from spacemission_agents.games.space_mission.value.afterstates import AFTERSTATES, SIZES, begin_move
from spacemission_agents.models.folder import save_model
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import Components
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from tests.support.random_play import choose

FORM: Json = {"hidden": [6, 7], "activation": "relu", "input": INPUT, "planets": 5}


def positions(
    players: int, rules: Rules | str, seed: int, every: int = 1, box: Components | None = None
) -> Iterator[Game]:
    """Play a random game; yield it before about each `every`-th decision."""
    game = Game(players, rules, box)
    game.reset(seed)
    rng = random.Random(seed)
    while not game.over:
        if rng.randrange(every) == 0:
            yield game
        game.step(choose(game, game.legal_actions(), rng))


def begun(game: Game, action: int) -> tuple[Game, int]:
    """A copy of the game with this move in progress, and what is decided next."""
    other = game.clone()
    return other, int(begin_move(other.states[0], other.t, action))


def random_arrays(seed: int, form: Json = FORM) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        name: (rng.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)
        for name, shape in shapes(SIZES, form).items()
    }


def judged(
    game: Game, network: Network, mask: np.ndarray | None = None
) -> tuple[list[int], np.ndarray, np.ndarray]:
    """The legal moves (or those of a mask), the features after each, and their logits."""
    scratch = AFTERSTATES.new_scratch()
    mask = np.ascontiguousarray(game.mask() if mask is None else mask)
    count = AFTERSTATES.names["evaluate_moves"](game.states[0], game.t, mask, network, scratch)
    return scratch.actions[:count].tolist(), network.features[:count].copy(), scratch.logits[:count].copy()


def random_network(seed: int, form: Json = FORM) -> Network:
    """A value network with random weights for compiled code."""
    return AFTERSTATES.new_network(random_arrays(seed, form))


def random_model(
    folder: Path,
    seed: int = 1,
    rules: str = "printed",
    box: Components | None = None,
    form: Json = FORM,
) -> Path:
    game = Game(2, rules, box)
    card = {
        "rules": game.rules.to_json(),
        "components_sha256": game.components.sha256,
        "network": form,
        "training": {},
    }
    save_model(folder, random_arrays(seed, form), card)
    return folder
