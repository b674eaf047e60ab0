"""A tournament on a Ray cluster has the same result, bit for bit."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spacemission_agents.arena.schedule import Limits
from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json
from studies.kill_arena import finished
from tests.support import ray_cluster
from tests.support.bad_bots import BAD_BOTS, write_bots
from tests.support.command_line import run
from tests.support.tournaments import stored, untimed

pytestmark = pytest.mark.slow

GAMES = 30_000  # so many that the node dies long before their end


def test_a_cluster_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    write_bots(tmp_path, monkeypatch, bad_bots=BAD_BOTS)  # actors find it by the working folder
    agents = ["greedy", "bad_bots:Failing", "bad_bots:Dying"]
    tournament = define(agents, 2, Limits(4), seed=7, records=1)
    local = run_tournament(tournament, tmp_path / "local", RunOptions(workers=1))
    told: list[int] = []
    cluster = run_tournament(
        tournament, tmp_path / "ray", RunOptions(engine="ray", workers=2), lambda step: told.append(step.new)
    )
    assert untimed(cluster) == untimed(local)
    assert {row["kind"] for row in local["forfeits"]} == {"failed", "process ended"}
    assert sum(told) == 12
    assert stored(tmp_path / "ray") == stored(tmp_path / "local")
    for row in local["records"]:
        assert (tmp_path / "ray" / row["file"]).read_bytes() == (
            tmp_path / "local" / row["file"]
        ).read_bytes()


def test_a_running_cluster_of_two_nodes_survives_the_death_of_one(tmp_path: Path) -> None:
    """Nodes started as a user starts them, with a token; the user sets no `RAY_AUTH_MODE` for the arena."""
    pytest.importorskip("ray")
    game = "--agents", "a=random,b=random,c=random", "--game", "kuhn_poker", "--seed", "3", "--json"

    def arena(games: int, *options: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "spacemission_env", "arena", *game, "--games", str(games), *options]
        return subprocess.Popen(
            command, env=nodes.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def report(process: subprocess.Popen) -> Json:
        out, err = process.communicate(timeout=ray_cluster.PATIENCE)
        assert process.returncode == 0, err
        return untimed(json.loads(out))

    with ray_cluster.cluster(tmp_path) as nodes:
        ray = "--engine", "ray", "--ray-address", nodes.address
        assert report(arena(200, *ray)) == report(arena(200, "--workers", "1"))
        out = tmp_path / "out"
        whole = arena(GAMES, *ray, "--out", str(out))
        end = time.monotonic() + ray_cluster.PATIENCE
        while finished(out) < 100:
            assert whole.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        nodes.kill_second_node()
        assert whole.poll() is None, "it ended before the node died"
        assert report(whole) == report(arena(GAMES, "--workers", "1"))
        nodes.environment["RAY_AUTH_TOKEN_PATH"] = str(tmp_path / "none")
        refused = arena(2, *ray).communicate()[1]
        assert f"ray: cannot be reached at '{nodes.address}': RAY_AUTH_TOKEN_PATH is set but" in refused
        del nodes.environment["RAY_AUTH_TOKEN_PATH"]
        nodes.environment["HOME"] = str(tmp_path)
        refused = arena(2, *ray).communicate()[1]
        assert refused.endswith("; the cluster's token belongs in ~/.ray/auth_token\n")


def test_without_ray_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    refused = run("arena", "--agents", "greedy,random", "--engine", "ray", status=1).stderr
    assert refused == "spacemission: the package 'ray' is needed: pip install 'spacemission-env[ray]'\n"


def test_a_cluster_that_is_not_there_is_named_in_one_line() -> None:
    pytest.importorskip("ray")
    with pytest.raises(SpaceMissionError, match="ray: cannot be reached at 'nonsense'"):
        run_tournament(define(["greedy", "random"]), options=RunOptions(engine="ray", ray_address="nonsense"))
