"""Plays games of a scripted model in the OpenEnv door: the object, the web socket, and `openenv validate`."""

import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

SETTINGS = {"GAME": "kuhn_poker", "OPPONENTS": "random", "LEGAL": "1"}
os.environ |= {f"SPACEMISSION_{name}": value for name, value in SETTINGS.items()}

import uvicorn  # noqa: E402
from fastapi.testclient import TestClient  # noqa: E402

import spacemission_agents.doors.openenv_space as folder  # noqa: E402
from spacemission_agents.doors.openenv_space.client import SeatEnv  # noqa: E402
from spacemission_agents.doors.openenv_space.models import SeatAction  # noqa: E402
from spacemission_agents.doors.openenv_space.server.app import app  # noqa: E402
from spacemission_agents.doors.openenv_space.server.environment import SeatEnvironment  # noqa: E402

GAMES = int(sys.argv[1]) if len(sys.argv) > 1 else 20


def answers(way: str, legal: list[str], rng: random.Random) -> str:
    return rng.choice(legal).upper() if way == "plays" else rng.choice(["steal", "", 'bet"}'])


def game(reset: Callable, step: Callable, state: Callable, seed: int) -> list[object]:
    """All that one game says, for comparison; the object gives observations, a client results."""
    rng = random.Random(seed)
    way = rng.choice(["plays", "plays", "insists"])
    result = reset(seed=seed, episode_id=f"e{seed}")
    seen = getattr(result, "observation", result)
    assert "Kuhn" in seen.rules and not seen.reward and not seen.done
    said = [seen.text]
    while not seen.done:
        assert seen.legal_moves
        result = step(SeatAction(move=answers(way, seen.legal_moves, rng)))
        seen = getattr(result, "observation", result)
        said.append(seen.text)
        assert not seen.rules and result.done == seen.done and result.reward == seen.reward
        assert seen.done or seen.reward == 0
    assert state().model_dump() == {"episode_id": f"e{seed}", "step_count": len(said) - 1}
    if way == "insists":
        assert seen.reward == -1 and "it gave no legal move" in seen.text and len(said) == 4
    return [*said, seen.reward, way]


def by_object(env: SeatEnvironment, seed: int) -> list[object]:
    return game(env.reset, env.step, lambda: env.state, seed)


def by_socket(session: object, seed: int) -> list[object]:
    def ask(kind: str, **data: object) -> dict:
        session.send_text(json.dumps({"type": kind, "data": data} if data else {"type": kind}))
        return json.loads(session.receive_text())["data"]

    rng = random.Random(seed)
    way = rng.choice(["plays", "plays", "insists"])
    got = ask("reset", seed=seed, episode_id=f"e{seed}")
    said = [got["observation"]["text"]]
    while not got["done"]:
        got = ask("step", move=answers(way, got["observation"]["legal_moves"], rng))
        said.append(got["observation"]["text"])
    assert ask("state") == {"episode_id": f"e{seed}", "step_count": len(said) - 1}
    return [*said, got["reward"], way]


env = SeatEnvironment()
first = [by_object(env, seed) for seed in range(GAMES)]
print(Counter((one[-1], one[-2]) for one in first))
with TestClient(app) as client:
    assert client.get("/health").json()["status"] == "healthy"
    assert client.get("/schema").json()["action"]["required"] == ["move"]
    assert client.post("/reset", json={"seed": 1}).json()["observation"]["text"] == by_object(env, 1)[0]
    with client.websocket_connect("/ws") as one, client.websocket_connect("/ws") as other:
        for seed in range(GAMES):  # two sessions at once; a seed determines the game
            assert by_socket(other if seed % 2 else one, seed) == first[seed], seed
with socket.socket() as free:  # the typed client, over a port
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
threading.Thread(target=server.run, daemon=True).start()
while not server.started:
    time.sleep(0.05)
with SeatEnv(base_url=f"http://127.0.0.1:{port}").sync() as remote:
    for seed in range(min(GAMES, 20)):
        assert game(remote.reset, remote.step, remote.state, seed) == first[seed], seed
server.should_exit = True
command = [Path(sys.executable).with_name("openenv"), "validate", Path(folder.__file__).parent]
done = subprocess.run([*command, "--level", "static", "--skip-build"], capture_output=True, text=True)
print(done.stdout)
assert done.returncode == 0, done.stderr
