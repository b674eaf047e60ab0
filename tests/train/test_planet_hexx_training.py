"""Tests of training for Planet Hexx: its presets, and all commands read its models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spacemission_env.core.agents import make_agent
from spacemission_train.run import trainer
from spacemission_train.settings.presets import make_settings
from tests.support.command_line import run
from tests.support.small_runs import HEXX

pytestmark = pytest.mark.slow


SMALL = {
    "envs": 8,
    "n_steps": 16,
    "hidden": (8, 8),
    "planets": 4,
    "steps": 256,
    "minutes": None,
    "threads": 1,
}


@pytest.mark.parametrize("preset", ["quick", "ppo_vs_heuristic"])
def test_presets_train_for_several_numbers_of_players(preset: str, tmp_path: Path) -> None:
    small = {**HEXX, **SMALL, "planets": 0 if preset == "quick" else 4}
    mixed = trainer.start(make_settings(preset, **{**small, "players": (2, 4)}), tmp_path / "mixed")
    agent = make_agent(f"policy:{mixed.out / 'model'}", "planet_hexx")
    assert agent.card["training"]["players"] == [2, 4]
    assert ("ratings_sha256" in agent.card) == (preset == "ppo_vs_heuristic")


def test_an_exploiter_reads_the_ratings(tmp_path: Path) -> None:
    small = {**HEXX, **SMALL, "exploit": "greedy"}
    trained = trainer.start(make_settings("exploit", **small), tmp_path / "exploiter")
    assert trained.settings.input == "afterstate_policy_rated"
    assert (trained.out / "exploit.json").exists()


def test_every_command_takes_the_game(tmp_path: Path) -> None:
    out, record = tmp_path / "run", tmp_path / "games.jsonl"
    sets = [f"{name}={json.dumps(value)}" for name, value in HEXX.items() if name not in ("rules", "game")]
    options = [word for one in sets for word in ("--set", one)]
    game = ("--game", "planet_hexx")
    rules = ("--rules", HEXX["rules"])
    run("train", *game, "--preset", "quick", *options, *rules, "--steps", "128", "--out", str(out))
    policy = f"policy:{out / 'model'}"
    games = ("--agents", f"{policy},greedy", "--games", "2", "--record", str(record))
    played = run("play", *game, *rules, *games, "--json")
    assert len(json.loads(played.stdout)["seats"]) == 2
    assert run("replay", str(record), "--check").exit_code == 0
    report = run(
        "arena", *game, *rules, "--agents", f"{policy},random,policy:{out / 'best'}", "--games", "4",
        "--out", str(tmp_path / "report"), "--json",
    )  # fmt: skip
    assert len(json.loads(report.stdout)["ladder"]) == 3
    assert run("train", "--resume", str(out), "--steps", "256").exit_code == 0
    told = run("probe", "policy:default", *game, "--repeat", "1", "--json")
    assert json.loads(told.stdout)["score"] > 0.8
