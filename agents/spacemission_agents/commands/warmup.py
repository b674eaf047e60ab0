"""Defines `spacemission warmup`, which compiles the code of environments and agents."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from spacemission_env.commands.shared import Json, Seed, emit_json
from spacemission_env.core.heartbeat import progress

if TYPE_CHECKING:
    from spacemission_env.core.game_spec import GameSpec


def warmup(
    game: Annotated[str | None, typer.Option("--game", help="Name of the game; default: all games.")] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Compile the code of a game's environments and agents, once for this machine.

    Compiled code is stored in your cache, so that later commands start at once. Training compiles its own
    code when it first runs.
    """
    from spacemission_env.core.game_spec import find_game, game_names

    done = []
    for spec in [find_game(name) for name in ([game] if game else game_names())]:
        began = time.perf_counter()
        with progress(f"compiling {spec.title}"):
            warm_environments(spec, seed)
            warm_agents(spec, seed)
        done.append({"game": spec.name, "seconds": round(time.perf_counter() - began, 1)})
        if not as_json:
            print(f"{spec.title}: ready, after {done[-1]['seconds']} seconds", flush=True)
    if as_json:
        emit_json({"type": "warmup", "games": done})


def warm_environments(spec: GameSpec, seed: int) -> None:
    from spacemission_env.frontends import aec
    from spacemission_env.frontends.gym_env import LearnerEnv
    from spacemission_env.frontends.vector_env import LearnerVectorEnv

    rng = np.random.default_rng(seed)
    env = aec.env(spec)
    env.reset(seed=seed)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    one = LearnerEnv(game=spec)
    one.reset(seed=seed)
    one.step(int(np.argmax(one.action_masks())))
    for dtype in ("float32", "uint8"):
        many = LearnerVectorEnv(2, game=spec, dtype=dtype)
        many.reset(seed=seed)
        many.step(many.action_masks().argmax(1))


def warm_agents(spec: GameSpec, seed: int) -> None:
    """Have each installed agent of a game make a move, and play games as `play` and `arena` do."""
    from spacemission_agents.arena.play import play_games
    from spacemission_agents.arena.schedule import Limits
    from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
    from spacemission_agents.models.policy import SHIP
    from spacemission_agents.web.catalogue import offers
    from spacemission_env.core.agents import make_agent
    from spacemission_env.core.errors import SpaceMissionError
    from spacemission_env.core.game import make_game

    game = make_game(spec)
    game.reset(seed)
    assert game.player is not None
    game.determinize(game.player, seed).information_state_key(game.player)
    for agent in {*offers(spec), *(f"policy:{name}" for name in SHIP)}:
        with suppress(SpaceMissionError):  # such as a model that this game does not have
            make_agent(agent, spec).play(game)
    play_games(["random"], [[0] * spec.min_players], [seed], game=spec.name, workers=1)
    two = define(["a=random", "b=random"], None, Limits(2), seed=seed, game=spec.name)
    run_tournament(two, options=RunOptions(workers=1))
