"""Declares how Space Mission is trained."""

from __future__ import annotations

from spacemission_env.core.reading import Json
from spacemission_train.game_training import PPO_SCRATCH, SCRATCH, GameTraining

VALUE: Json = dict(SCRATCH, planets=64, minutes=None)  # all presets of method td
TD_VS_HEURISTIC: Json = dict(
    VALUE, players=(2, 2, 2, 2, 3, 3, 4, 5), opponents="heuristic=0.6,latest=0.4", envs=256,
    input="afterstate_rated", overlap_rollouts=True,
)  # fmt: skip

# Rewarding the score margin learnt faster than rewarding the win alone. `quick` must be good within minutes,
# so it has small, frequent updates. Win shares of two seeds against greedy: 59 and 62 %; with the learning
# rate 5e-4, 52 and 56 %; with 2e-3, 56 and 58 %.
PRESETS: dict[str, Json] = {
    "quick": {},
    # Small networks; stronger than `quick` in fewer minutes (docs/training.md).
    "demo": dict(
        PPO_SCRATCH, steps=1_200_000, minutes=None, hidden=(64, 64), planets=32, overlap_rollouts=True,
        checkpoint_steps=240_000, final_games=400,
    ),
    # Starts as strong as `heuristic`. Luck hides small differences, so the batches are large and the reward
    # is half win, half margin, which is less noisy than the win. Larger networks gained nothing in the same
    # time.
    "strong": dict(
        players=(2, 3, 4, 5), reward="win", shaping=5.0,
        steps=28_000_000, envs=512, n_steps=32, batch_size=4096, epochs=4,
        learning_rate=1e-3, last_learning_rate=3e-5, gamma=0.999, gae_lambda=0.9,
        entropy=0.002, last_entropy=0.0005,
        opponents="heuristic=0.45,latest=0.15,past=0.2,greedy=0.2", pfsp=1.0,
        hidden=(64, 64), input="rated", planets=16, critic="full", augment=True, critic_warmup=10,
        overlap_rollouts=True, checkpoint_steps=2_000_000,
    ),
    # Uses no other agent: no ratings, no imitation, no games against others. The input is the observation
    # after each move (docs/training.md, "Learning from nothing").
    "scratch": dict(
        VALUE, players=(2, 2, 2, 3, 4, 5), minutes=60.0,
        checkpoint_steps=2_000_000, evaluation_games=300,
    ),
    # The same by PPO: the policy judges the position after each move.
    "ppo_scratch": dict(
        PPO_SCRATCH, minutes=60.0, hidden=(64, 64), planets=32, overlap_rollouts=True,
        checkpoint_steps=2_000_000, evaluation_games=300,
    ),
    # Starts from `scratch` and uses `heuristic`, whose ratings of the moves are input and which plays 60 % of
    # the other seats.
    "td_vs_heuristic": dict(
        TD_VS_HEURISTIC, start="preset:scratch", minutes=78.0, learning_rate=6e-4, last_learning_rate=2e-5,
        checkpoint_steps=12_000_000, evaluation_games=200,
    ),
    # Ships as `policy:default`: an ensemble of two runs of `td_vs_heuristic`. Its learning rate is 0, because
    # further training made it no stronger (docs/default_agent.md).
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
    networks="spacemission_train.games.space_mission.networks:PlanetNetworks",
    symmetries=16,
    compile_in_background="spacemission_train.games.space_mission.views:compile_in_time",
)
