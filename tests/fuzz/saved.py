"""Saved games with fields changed: what `Game.from_json` accepts is observed, determinized, saved, played."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.game_spec import OBSERVATIONS
from spacemission_env.games.space_mission.consistency import inconsistency
from spacemission_env.games.space_mission.engine.layout import EXPECTED, LAYOUT
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.game import Game
from tests.fuzz.mutate import mutated_value

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"space_tile_penalty": True},
    {"scan_face_up": True, "space_tile_penalty": True},
    {"hand_size": 3, "actions_per_turn": 1, "empty_top_up": False},
    {"actions_per_turn": 4, "chips_per_player": 6, "gate_points_without_probe": True},
    {"reserved_tiles_visible": True, "space_tiles_to_end": 3},
    {"chips_per_player": 100, "hand_size": 1, "start_player": 1},
)
ROUNDS = 40
AGENTS = ("greedy", "random")


def seeds(rng: random.Random) -> list[dict[str, Any]]:
    """Saves from the start, the middle and the end of games of every size, with all options."""
    found = []
    agents = [make_agent(name) for name in AGENTS]
    for number, options in enumerate(OPTIONS):
        for players in range(2, 6):
            rules = {"max_rounds": ROUNDS, **options}
            game = Game(players, rules, observation=OBSERVATIONS[(number + players) % 2])
            game.reset(seed=rng.randrange(2**40))
            saves = [game.to_json()]
            while not game.over:
                _step(rng, game, agents[rng.random() < 0.3])
                saves.append(game.to_json())
            picks = [save for save in saves if 0 < save["state"]["phase"] < 4]
            found += [saves[0], saves[-1], saves[-2], *rng.sample(saves, 4), *rng.sample(picks, 3)]
            world = game.clone()
            world = Game.from_json(rng.choice(saves)).determinize(0, 1)  # may be one without memory
            found.append(world.to_json())
    return [json.loads(json.dumps(save)) for save in found]


def mutate(rng: random.Random, save: dict[str, Any]) -> dict[str, Any]:
    """A few cells of the state changed, mostly to what the type can hold; sometimes anything anywhere."""
    if rng.random() < 0.15:
        return dict(value) if isinstance(value := mutated_value(rng, save), dict) else value
    save = json.loads(json.dumps(save))
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(STATE.names or ())
        save["state"][name] = _cells_changed(rng, name, save["state"][name])
    return save


def _cells_changed(rng: random.Random, name: str, value: Any) -> Any:
    array = np.array(value, np.int64)
    cells = array.reshape(-1)  # a view
    limits = np.iinfo(STATE[name].base)
    i, j = rng.randrange(len(cells)), rng.randrange(len(cells))
    way = rng.randrange(6)
    if way == 0:
        cells[i], cells[j] = cells[j], cells[i]
    elif way == 1:
        cells[i], cells[j] = cells[i] + 1, cells[j] - 1
    elif way == 2:
        cells[i] = rng.choice((limits.min, limits.max, 0, 1, -1, 7, 8, 25, 26, 59, 60))
    elif way == 3:
        cells[i] = rng.randrange(-1, 12)
    elif way == 4:
        array[...] = np.roll(array, 1, axis=-1) if array.ndim else array + 1
    else:
        cells[i] += rng.choice((-1, 1))
    return array.tolist()


def use(rng: random.Random, save: dict[str, Any], game: Game) -> None:
    """What is accepted can be played to its end, and observed, determinized and saved on the way."""
    assert game.to_json()["state"] == save["state"], "it is saved as something else"
    agent = make_agent("greedy")
    for made in range(8 * 5 * min(game.rules.max_rounds, 2 * ROUNDS) + 1):
        if made % 64 == 0 or game.over:
            _look(rng, game)
        if game.over:
            break
        _step(rng, game, agent if rng.random() < 0.1 else None)
    assert (game.over or game.rules.max_rounds > ROUNDS) and game.winners()


def _step(rng: random.Random, game: Game, agent: Any) -> None:
    legal = game.legal_actions()
    assert legal, "no legal move"
    action = rng.choice(legal) if agent is None else act_alone(agent, game.ask())[0]
    game.step(int(action))


def _look(rng: random.Random, game: Game) -> None:
    again = Game.from_json(game.to_json())
    assert again.states.tobytes() == game.states.tobytes()
    for seat in range(game.num_players):
        seen = game.observe(seat)
        assert np.isfinite(seen).all() and seen.min() >= 0 and seen.max() <= 1 + 1e-6, _outside(seen)
        assert game.information_state_key(seat)
        game.mask(seat)
    seat = rng.randrange(game.num_players)
    world = game.determinize(seat, rng.randrange(2**40))
    problem = inconsistency(world.states[0], world.t, world.num_players)
    assert problem is None, f"a sampled world: {problem}"
    Game.from_json(world.to_json())
    if game.recall:
        assert world.information_state_key(seat) == game.information_state_key(seat)
    whole = [piece.slice for name, piece in LAYOUT.items() if name not in EXPECTED]
    same = world.observe(seat)
    assert all((seen := game.observe(seat))[s].tobytes() == same[s].tobytes() for s in whole), "another view"
    game.scores_json()


def _outside(seen: np.ndarray) -> str:
    names = [
        n
        for n, piece in LAYOUT.items()
        if not (seen[piece.slice] >= 0).all() or (seen[piece.slice] > 1).any()
    ]
    return f"observation outside 0 to 1: {names}"
