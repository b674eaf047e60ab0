"""A server that is killed at random moments loses no acknowledged move.

Longer: `python -m studies.web_load kills`.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest

from spacemission_agents.web.serving import bound
from spacemission_agents.web.store import Store
from tests.support.web_server import Guest, new_game

pytestmark = pytest.mark.slow

GAMES = ("space_mission", "planet_hexx", "space_mission")
LEAST = 6  # fewest moves between two kills
LONGEST = 120.0  # most seconds until the server answers


@contextmanager
def server(data: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Start the program; kill it at the end."""
    command = [sys.executable, "-m", "spacemission_env", "web", "--port", str(port), "--data", str(data)]
    process = subprocess.Popen(command, cwd=data.parent, stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + LONGEST
        while time.monotonic() < end and process.poll() is None:
            try:
                httpx.get(f"http://127.0.0.1:{port}/")
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


class Table:
    """A game of two people."""

    def __init__(self, client: httpx.Client, name: str, seed: int) -> None:
        self.guests = new_game(client, name, None, None, seed=seed)
        self.answered: list[int] = []  # acknowledged moves
        self.rng = np.random.default_rng(seed)

    def play(self, client: httpx.Client) -> None:
        """Make moves until the server or the game ends."""
        people = [Guest(client, self.guests[0].id, guest.token) for guest in self.guests[:2]]
        try:
            while not people[0].position()["over"]:
                mover = next((one for one in people if one.position()["legal"]), None)
                if mover is None:
                    continue
                position = mover.heard[-1]
                move = position["legal"][self.rng.integers(len(position["legal"]))]["action"]
                answer = mover.post("moves", action=move, step=position["step"])
                assert answer.status_code == 204, answer.text
                self.answered.append(move)
        except httpx.TransportError:
            return

    def check(self, data: Path) -> int:
        """Check that the stored moves are the acknowledged ones, with at most one more."""
        store = Store(data)
        kept = store.game(self.guests[0].id)
        store.close()
        assert kept is not None
        actions = [line and line.action for line in kept[1]]
        lost = len(self.answered) - len(actions)
        assert actions[: len(self.answered)] == self.answered, f"{lost} of {len(self.answered)} moves lost"
        assert len(actions) <= len(self.answered) + 1
        self.answered = [int(action or 0) for action in actions]
        return len(actions)


def kill_at_moments(folder: Path, kills: int, seed: int) -> tuple[int, int]:
    """Play during so many kills; return the numbers of stored moves and of unacknowledged ones among them."""
    data, rng = folder / "games.sqlite3", np.random.default_rng(seed)
    with bound("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    tables: list[Table] = []
    moves = unanswered = 0
    for number in range(kills):
        with (
            server(data, port) as process,
            httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client,
        ):
            tables = tables or [Table(client, name, seed + i) for i, name in enumerate(GAMES)]
            before = sum(len(table.answered) for table in tables)
            players = [threading.Thread(target=table.play, args=(client,)) for table in tables]
            for player in players:
                player.start()
            while sum(len(table.answered) for table in tables) < before + LEAST:
                time.sleep(0.01)  # the first game may compile
            time.sleep(float(rng.uniform(0.05, 1.5)))
            os.kill(process.pid, signal.SIGKILL)
            for player in players:
                player.join()
        answered = sum(len(table.answered) for table in tables)
        kept = sum(table.check(data) for table in tables)
        unanswered += kept - answered
        moves = kept
        print(f"kill {number + 1}: {answered} moves answered, {kept} kept", flush=True)
    return moves, unanswered


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX knows it")
def test_no_answered_move_is_lost(tmp_path: Path) -> None:
    moves, _ = kill_at_moments(tmp_path, 2, 5)
    assert moves > 10
