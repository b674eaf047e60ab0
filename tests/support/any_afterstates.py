"""Afterstates of any game: positions of random games, networks with random weights, judged moves."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from spacemission_agents.afterstates.moves import Afterstates, bind_afterstates, find_afterstates
from spacemission_agents.afterstates.network import INPUT, RATED_INPUT, Network, shapes
from spacemission_agents.game_agents import find_game_agents
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.core.reading import Json

# Short games, so that the end is near; the others end soon by themselves.
RULES = {"space_mission": "printed,max_rounds=6", "planet_hexx": "max_turns=5,upload_cost=1"}
WIDE, HIDDEN = 5, (6, 7)
LAST = 4  # decisions at the end of a game that are all looked at


@lru_cache
def afterstates(name: str) -> Afterstates:
    """Afterstates by name: those of a game, or `GAME/observation` for the default ones of any game."""
    game, _, default = name.partition("/")
    return bind_afterstates(find_game(game)) if default else find_afterstates(find_game(game))


def names() -> list[str]:
    """All afterstates of the installed games; a game that declares its own has the default ones too."""
    own = [f"{game}/observation" for game in game_names() if find_game_agents(game).afterstates]
    return [*game_names(), *own]


def with_players() -> list[tuple[str, int]]:
    """Each of `names` with each number of players of its game."""
    of = ((name, find_game(name.partition("/")[0])) for name in names())
    return [(name, n) for name, spec in of for n in range(spec.min_players, spec.max_players + 1)]


def random_moves(game: Game, rng: np.random.Generator) -> list[int]:
    """Play a game to its end by random moves, mostly not the first legal one; return the moves."""
    made = []
    while not game.over:
        legal = game.legal_actions()
        made.append(int(rng.choice(legal[1:] if len(legal) > 1 and rng.random() < 0.7 else legal)))
        game.step(made[-1])
    return made


def positions(name: str, players: int, count: int, seed: int = 0, rules: object = None) -> Iterator[Game]:
    """Positions with more than one legal move: some from all parts of random games, and the last ones."""
    spec = find_game(name.partition("/")[0])
    rng, given = np.random.default_rng([seed, players]), 0
    while given < count:
        game = make_game(spec, players, RULES.get(spec.name) if rules is None else rules)
        dealt = int(rng.integers(2**31))
        game.reset(dealt)
        moves = random_moves(game, rng)
        wanted = {*rng.integers(len(moves), size=LAST), *range(max(0, len(moves) - LAST), len(moves))}
        game.reset(dealt)
        for n, move in enumerate(moves):
            if n in wanted and len(game.legal_actions()) > 1 and given < count:
                given += 1
                yield game.clone()
            game.step(move)


def form_of(of: Afterstates) -> Json:
    """A network with all inputs that the game has."""
    return {
        "hidden": list(HIDDEN),
        "activation": "relu",
        "input": RATED_INPUT if len(of.features.rating_scales) else INPUT,
        "planets": WIDE if of.features.rows else 0,
    }


def random_arrays(of: Afterstates, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        name: (2 * rng.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)
        for name, shape in shapes(of.features, form_of(of)).items()
    }


def judged(of: Afterstates, game: Game, net: Network) -> tuple[list[int], np.ndarray]:
    """The legal moves and the logits of the share of the win after each."""
    scratch, mask = of.new_scratch(), np.ascontiguousarray(game.mask())
    count = of.names["evaluate_moves"](game.states[0], game.t, mask, net, scratch)
    return scratch.actions[:count].tolist(), scratch.logits[:count].copy()


def features_of(of: Afterstates, game: Game, seat: int, pending: int = 0) -> np.ndarray:
    """The features of the position itself, as a seat knows it."""
    scratch, x = of.new_scratch(), np.full(of.features.size, 99, np.uint8)
    of.names["write_features"](game.states[0], game.t, seat, pending, scratch, x)
    return x
