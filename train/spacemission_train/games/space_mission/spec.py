"""Declares Space Mission to the training package: presets, yardsticks, networks."""

from __future__ import annotations

from typing import Any

from spacemission_train.game_training import GameTraining

# What presets of method td share.
VALUE: dict[str, Any] = dict(
    method="td", reward="win", steps=None, n_steps=40, batch_size=512, epochs=1, gae_lambda=0.85,
    temperature=0.01, random_moves=0.01, hidden=(128, 128), planets=64,
)  # fmt: skip
TD_VS_HEURISTIC: dict[str, Any] = dict(
    VALUE, players=(2, 2, 2, 2, 3, 3, 4, 5), opponents="heuristic=0.6,latest=0.4", envs=256,
    input="afterstate_rated", overlap_rollouts=True,
)  # fmt: skip

# The score margin, most of it paid as it is gained, taught faster here than the bare win. `quick` has to be
# good within minutes, also where nothing is compiled yet: small and frequent updates at twice the learning
# rate of `standard` (two seeds each: 59 and 62 % against greedy; 52 and 56 with 5e-4, 56 and 58 with 2e-3).
PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    # As `scratch`, below, but with rated features, small networks and more of `greedy`: in fewer minutes than
    # `quick` it comes further (docs/training.md).
    "demo": dict(
        reward="win", shaping=5.0, steps=900_000, envs=256, n_steps=16, batch_size=512, epochs=1,
        learning_rate=2e-3, gamma=0.999, gae_lambda=0.9, entropy=0.02, last_entropy=0.005,
        opponents="greedy=0.4,heuristic=0.2,latest=0.2,past=0.2",
        hidden=(128, 128), planets=32, cards=24, checkpoint_steps=180_000,
    ),
    "standard": dict(
        steps=8_000_000, envs=128, n_steps=64, batch_size=1024, learning_rate=5e-4, checkpoint_steps=400_000,
    ),
    # Begins where `heuristic` stands. Luck hides small differences, so the reward is half the win and half
    # the margin, which tells more of a game than who won, and the batches are large; the networks are small,
    # as larger ones gained nothing in the same time.
    "strong": dict(
        players=(2, 3, 4, 5), reward="win", shaping=5.0,
        steps=28_000_000, envs=512, n_steps=32, batch_size=4096, epochs=4,
        learning_rate=1e-3, last_learning_rate=3e-5, gamma=0.999, gae_lambda=0.9,
        entropy=0.002, last_entropy=0.0005,
        opponents="heuristic=0.45,latest=0.15,past=0.2,greedy=0.2", pfsp=1.0,
        hidden=(64, 64), input="rated", planets=16, critic="full", augment=True, critic_warmup=10,
        overlap_rollouts=True, checkpoint_steps=2_000_000,
    ),
    # Learns by itself: no ratings, moves or teachers of others, and no games against them either. What a move
    # leads to is read from the observation behind it (docs/training.md, "Learning from nothing").
    "scratch": dict(
        **VALUE, players=(2, 2, 2, 3, 4, 5), opponents="latest=1", minutes=60.0, envs=128,
        learning_rate=1e-3, last_learning_rate=5e-5, input="afterstate",
        checkpoint_steps=2_000_000, evaluation_games=300,
    ),
    # Goes on from `scratch` with the help of `heuristic`: its ratings of the moves as input, and itself at
    # three of five of the other seats.
    "td_vs_heuristic": dict(
        TD_VS_HEURISTIC, start="preset:scratch", minutes=78.0, learning_rate=6e-4, last_learning_rate=2e-5,
        checkpoint_steps=12_000_000, evaluation_games=200,
    ),
    # What ships as `policy:default`: two of `td_vs_heuristic`, from nothing, an ensemble. It learns no more
    # (rate 0), as training on made it no stronger: docs/default_agent.md.
    "td_ensemble": dict(
        TD_VS_HEURISTIC, start="preset:td_vs_heuristic*2", steps=1, learning_rate=0.0, last_learning_rate=0.0,
        hidden=(2 * 128, 2 * 128), planets=2 * 64, evaluation_games=50,
    ),
    "exploit": dict(
        steps=10_000_000, envs=128, n_steps=64, batch_size=1024, learning_rate=5e-4,
        checkpoint_steps=500_000, final_games=4000, critic_warmup=5,
    ),
}  # fmt: skip


TRAINING = GameTraining(
    "space_mission",
    presets=PRESETS,
    yardsticks=("random", "greedy", "heuristic"),
    view="spacemission_train.games.space_mission.views:LearnerView",
    networks="spacemission_train.games.space_mission.networks:networks_of",
    symmetries=16,
    values="spacemission_train.games.space_mission.td_games:SelfPlay",
    compile_in_background="spacemission_train.games.space_mission.views:compile_in_time",
)
