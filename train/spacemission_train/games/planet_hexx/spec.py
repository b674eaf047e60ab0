"""Planet Hexx as the training storey sees it."""

from __future__ import annotations

from typing import Any

from spacemission_train.game_training import GameTraining

# What both presets have: the policy begins where `heuristic` stands. The reward is the win, and on the way the
# lead in filled points, which is taken back at the end.
COMMON: dict[str, Any] = {
    "reward": "win",
    "shaping": 1.0,
    "final_lead": False,
    "input": "rated",
    "planets": 0,
    "gamma": 0.999,
    "gae_lambda": 0.95,
    "opponents": "heuristic=0.5,latest=0.25,past=0.2,greedy=0.05",
    "hidden": (64, 32),
}

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {
        **COMMON,
        "steps": 500_000,
        "envs": 128,
        "n_steps": 32,
        "batch_size": 1024,
        "entropy": 0.003,
        "last_entropy": 0.001,
        "checkpoint_steps": 100_000,
    },
    "strong": {
        **COMMON,
        "steps": 8_000_000,
        "envs": 256,
        "n_steps": 64,
        "batch_size": 2048,
        "epochs": 3,
        "learning_rate": 1e-3,
        "last_learning_rate": 3e-5,
        "entropy": 0.003,
        "last_entropy": 0.0005,
        "pfsp": 1.0,
        "checkpoint_steps": 500_000,
        "evaluation_games": 2000,
    },
}

TRAINING = GameTraining(
    "planet_hexx",
    presets=PRESETS,
    yardsticks=("greedy", "heuristic"),
    view="spacemission_train.games.planet_hexx.views:make_view",
    networks="spacemission_train.games.planet_hexx.networks:make_networks",
)
