"""Seeds give the same games and records everywhere, compiled or not; states are aligned."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from pettingzoo import AECEnv

from spacemission_env import space_mission_v0
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import RUNNING
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.core.layout import GAP
from spacemission_env.core.masks import choose_uniform
from tests.support.front_ends import make_vector, played_aec
from tests.support.paths import ROOT
from tests.support.random_play import uniform

FIRST_LINE = '{"type": "game"'


def aec_record(seed: int, num_players: int, folder: Path) -> str:
    """One game of random players in the AEC environment."""
    file = folder / "aec.jsonl"
    env = space_mission_v0.env(num_players=num_players, record=file, record_agents=["random"] * num_players)
    for _ in played_aec(env, seed, lambda mask: uniform(mask, env.unwrapped.game.decision_key())):
        pass
    return file.read_text()


def gymnasium_record(seed: int, num_players: int, folder: Path) -> str:
    """The same game with one random player as the learner."""
    file = folder / "gymnasium.jsonl"
    env: AECEnv = gymnasium.make(
        "SpaceMission-v0", num_players=num_players, opponents="random", record=file, learner_name="random"
    ).unwrapped
    env.reset(seed=seed)
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(uniform(env.action_masks(), env.game.decision_key()))
        over = terminated or truncated
    return file.read_text()


def vector_record(seed: int, num_players: int, folder: Path) -> str:
    """The same game as the first of three in the vector environment."""
    file = folder / "vector.jsonl"
    env = make_vector(3, num_players=num_players, opponents="random", record=file, learner_name="random")
    env.reset(seed=seed)
    over = False
    while not over:
        keys = env.games.keys(env.games.everyone)
        actions = [uniform(mask, int(key)) for mask, key in zip(env.action_masks(), keys, strict=True)]
        _, _, terminations, truncations, _ = env.step(np.array(actions))
        over = terminations[0] or truncations[0]
    games = [FIRST_LINE + rest for rest in file.read_text().split(FIRST_LINE)[1:]]
    return next(game for game in games if f'"seed": {seed},' in game)


def arena_record(seed: int, num_players: int, folder: Path) -> str:
    """The same game by `spacemission play --record`."""
    file = folder / "game.jsonl"
    agents = ",".join(["random"] * num_players)
    command = ["play", "--agents", agents, "--games", "1", "--seed", str(seed), "--record", str(file)]
    subprocess.run([sys.executable, "-m", "spacemission_env", *command], check=True, capture_output=True)
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_every_front_end_writes_the_same_record(num_players: int, tmp_path: Path) -> None:
    seed = 4242 + num_players
    expected = aec_record(seed, num_players, tmp_path)
    assert expected.count("\n") > 100
    assert gymnasium_record(seed, num_players, tmp_path) == expected
    assert vector_record(seed, num_players, tmp_path) == expected
    assert arena_record(seed, num_players, tmp_path) == expected


# Set-ups, moves and scores of the games of `known_games`. They change with the meaning of seeds, which is a
# change for users who keep seeds and records.
KNOWN = {
    "kuhn_poker": "f2d301d34c38c416",
    "planet_hexx": "72e4ab5cc1e5323b",
    "space_mission": "af1413a9f135a531",
}
DECISIONS = 60  # of each game


def known_games(name: str) -> tuple[str, str]:
    """Digests of games with moves drawn by the decision keys, and of what seats are given in them."""
    games, given, game = hashlib.sha256(), hashlib.sha256(), make_game(name, 3)
    seed = made = 0
    while made < DECISIONS:
        game.reset(seed := seed + 10**17)
        games.update(json.dumps(game.setup_json()).encode())
        while not game.over and made < DECISIONS:
            key, seat, legal = game.decision_key(), game.player or 0, game.legal_actions()
            verbs = sorted({game.move_text(action).split()[0] for action in legal})
            some = [a for a in legal if game.move_text(a).split()[0] == verbs[key % len(verbs)]]
            game.step(some[(key >> 20) % len(some)])
            games.update(b"%d" % some[(key >> 20) % len(some)])
            for part in (game.states, game.observe(seat), game.determinize(seat, seed).states):
                given.update(part.tobytes())
            given.update(game.information_state_key(seat))
            made += 1
        games.update(json.dumps(game.scores_json()).encode())
    return games.hexdigest()[:16], given.hexdigest()


def test_known_games_are_played_again_in_another_process_and_without_the_jit() -> None:
    assert set(KNOWN) == set(game_names())
    code = "from tests.env.test_determinism import KNOWN, known_games; print(*map(known_games, KNOWN))"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "77"}
    plain = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    )
    found = [known_games(name) for name in KNOWN]
    assert plain.stdout.strip() == " ".join(map(str, found))
    assert {name: games for name, (games, _) in zip(KNOWN, found, strict=True)} == KNOWN


@pytest.mark.parametrize("name", game_names())
def test_states_are_aligned_and_their_gaps_stay_zero(name: str) -> None:
    games = BatchedGames(4, game=name)
    for i in range(4):
        games.deal(i, i)
    for _ in range(30):
        index = np.flatnonzero(games.states["over"] == RUNNING)
        actions, decisions = np.zeros(len(index), np.int64), games.ask(index)
        choose_uniform(decisions.masks, decisions.keys, actions)
        games.step(index, actions)
    worlds = np.stack([games.game(i).determinize(0, i).states[0] for i in range(4)])
    for dtype in (games.states.dtype, find_game("planet_hexx").state["stack"].base):
        assert dtype.itemsize % 8 == 0
        for kind, place, *_ in (dtype.fields or {}).values():
            assert place % (8 if kind.base.names else kind.base.alignment) == 0
    gaps = [field for field in games.states.dtype.names or () if field.startswith(GAP)]
    assert gaps and not any(states[gap].any() for states in (games.states, worlds) for gap in gaps)
