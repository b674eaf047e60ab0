"""Collects games of Space Mission in a Minari data set, and reads them back."""

import os
import tempfile

import gymnasium
import minari
import numpy as np

import spacemission_env  # noqa: F401  (registers the games)

os.environ["MINARI_DATASETS_PATH"] = tempfile.mkdtemp()
env = minari.DataCollector(gymnasium.make("SpaceMission-v0", opponents="greedy"), record_infos=True)
rng = np.random.default_rng(1)
returns = []
for seed in range(5):
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    returns.append(reward)
data = env.create_dataset("space-mission/random-v0")
episodes = list(minari.load_dataset("space-mission/random-v0").iterate_episodes())
assert [episode.rewards[-1] for episode in episodes] == returns
for episode in episodes:
    masks = np.asarray(episode.infos["action_mask"])
    assert masks[np.arange(len(episode.actions)), episode.actions].all()
