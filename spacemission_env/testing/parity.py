"""Compares games with and without the JIT, in two processes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import numba
import numpy as np

from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import GameSpec

GAMES = 2  # games for each number of players
BEAT = 5.0  # seconds between two calls of `done`
# The second process uses this process's module path.
PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from spacemission_env.core.game_spec import find_game
from spacemission_env.testing.parity import digests
for line in digests(find_game(sys.argv[2]), json.loads(sys.argv[3]), int(sys.argv[4])):
    print(line, flush=True)
"""
# Compare views only in the first 4 and every 16th position and at the end: they are slow without the JIT.
FIRST, EVERY = 4, 16


def digests(spec: GameSpec, rules: object, seed: int) -> Iterator[str]:
    """Yield one line per decision: its position, and digests of the compiled functions' results."""
    for number in range(GAMES):
        for players in range(spec.min_players, spec.max_players + 1):
            game = make_game(spec, players, rules)
            game.reset(seed + number)
            rng = np.random.default_rng(seed + number)
            mask = np.zeros((1, spec.action_count), np.int8)
            while not game.over:
                yield _line(game)
                # `legal_actions` would also make an observation, which is slow without the JIT.
                spec.batch.mask_batch(game.states, game.parameters, np.zeros(1, np.int64), mask)
                game.step(int(rng.choice(np.flatnonzero(mask[0]))))
            yield _line(game)


def _line(game: Game) -> str:
    decisions = int(game.states[0]["decisions"])
    parts: dict[str, list[np.ndarray]] = {"state": [game.states]}
    if decisions < FIRST or decisions % EVERY == 0 or game.over:
        parts |= _views(game)
    digests_by_name = {
        name: hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:12]
        for name, arrays in parts.items()
    }
    return json.dumps([game.num_players, game.seed, decisions, digests_by_name])


def _views(game: Game) -> dict[str, list[np.ndarray]]:
    seats = range(game.num_players)
    batch = game.spec.batch
    first, parameters = np.zeros(1, np.int64), game.parameters
    margin = np.zeros(1)
    batch.margin_batch(game.states, parameters, first, first, margin)
    parts: dict[str, list[np.ndarray]] = {
        "observation": [game.observe(seat) for seat in seats],
        "mask": [game.mask()],
        "key": [np.frombuffer(game.information_state_key(seat), np.uint8) for seat in seats],
        "scores": [game.scores(), np.array(game.winners())],
        "margin": [margin],
        "rewards": [game.rewards(mode) for mode in range(len(game.spec.reward_names))],
    }
    if not game.over:
        whole = np.zeros((1, game.spec.observation_size), np.uint8)
        mask = np.zeros((1, game.spec.action_count), np.int8)
        batch.compact_view_batch(game.states, parameters, first, 1, whole, mask)
        parts["compact observation"] = [whole]
        parts["decision key"] = [np.array([game.decision_key()])]
        parts["world"] = [game.determinize(seat, 5).states for seat in seats]
    return parts


def check_parity(
    spec: GameSpec, rules: object, seed: int, seconds: float, notes: list[str], done: Callable[[float], None]
) -> Iterator[str]:
    """Yield the first difference, if any; after `seconds` leave out the rest and add a note that says so."""
    other = "0" if numba.config.DISABLE_JIT else "1"  # type: ignore[attr-defined]
    how = "with the JIT" if other == "0" else "without the JIT"
    arguments = [json.dumps(sys.path), spec.name, json.dumps(spec.make_rules(rules).to_json()), str(seed)]
    with subprocess.Popen(
        [sys.executable, "-I", "-c", PROGRAM, *arguments],
        env={**os.environ, "NUMBA_DISABLE_JIT": other},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        passed, over = 0.0, False
        while True:
            try:
                output, errors = process.communicate(timeout=min(BEAT, max(0.1, seconds - passed)))
                break
            except subprocess.TimeoutExpired:
                done(BEAT)
                passed += BEAT
                if passed >= seconds and not over:
                    over = True
                    process.kill()
    if process.returncode and not over:
        last = (errors.strip().splitlines() or ["no message"])[-1]
        yield f"{how}: failed with {last}"
        return
    theirs = output.split("\n")[:-1]  # a killed process may leave half a line
    mine = digests(spec, rules, seed)
    for here, there in zip(mine, theirs, strict=False):
        (players, game_seed, decisions, ours), theirs_here = json.loads(here), json.loads(there)[3]
        for what, digest in ours.items():
            if theirs_here.get(what) != digest:
                where = f"{players} players, seed {game_seed}, after {decisions} decisions"
                yield f"{where}: {what} differs {how}"
                return
    if over:
        notes.append(f"jit: the rest: {seconds:g} seconds were over after {len(theirs)} decisions {how}")
    elif next(mine, None) is not None:
        yield f"{how}: games have other lengths"
