"""Starts a Ray cluster of two nodes on this machine, with a token, by the commands that users type."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# A busy machine is slow to start a node.
NODE = {"RAY_AUTH_MODE": "token", "RAY_raylet_start_wait_time_s": "300"}
PATIENCE = 300.0


def free_port() -> int:
    """A port above those that Ray gives its workers (10002 to 19999)."""
    for port in range(21000, 30000):
        with suppress(OSError), socket.socket() as tried:
            tried.bind(("", port))
            return port
    raise AssertionError


class Cluster:
    """A head and a second node.

    Attributes:
        address: of the head.
        environment: environment variables of a user: a token, but not `RAY_AUTH_MODE`.
    """

    def __init__(self, folder: Path) -> None:
        (folder / "token").write_text("0123456789abcdef" * 4)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("RAY_")},
            "RAY_AUTH_TOKEN_PATH": str(folder / "token"),
        }
        self._folder, self._port, self._sockets = folder, free_port(), ""
        self._nodes: list[subprocess.Popen] = []
        self.address = f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start both nodes."""
        ports = [f"--ray-client-server-port={self._port + 1}", f"--dashboard-port={self._port + 2}"]
        # Its sockets need a short path; in Ray's own folder other programs would find this cluster.
        self._sockets = tempfile.mkdtemp(prefix="ray-")
        ports.append(f"--temp-dir={self._sockets}")
        self._start("--head", "--node-ip-address=127.0.0.1", f"--port={self._port}", *ports)
        self._start(f"--address={self.address}", "--node-ip-address=127.0.0.1")

    def _start(self, *options: str) -> None:
        log = self._folder / f"node{len(self._nodes)}.log"
        command = ["ray", "start", *options, "--num-cpus=1", "--disable-usage-stats", "--block"]
        with open(log, "w") as file:
            node = subprocess.Popen(
                [str(Path(sys.executable).with_name(command[0])), *command[1:]],
                stdout=file, stderr=file, env=self.environment | NODE, start_new_session=True,
            )  # fmt: skip
        self._nodes.append(node)
        end = time.monotonic() + PATIENCE
        while "Ray runtime started" not in log.read_text():
            assert node.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.2)

    def kill_second_node(self) -> None:
        """End the second node with all its processes, as a power failure does."""
        self._end(self._nodes[1])

    def _end(self, node: subprocess.Popen) -> None:
        with suppress(ProcessLookupError):
            os.killpg(node.pid, signal.SIGKILL)
        node.wait()

    def close(self) -> None:
        """End all nodes."""
        for node in reversed(self._nodes):
            self._end(node)
        shutil.rmtree(self._sockets, ignore_errors=True)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster that ends with the block."""
    made = Cluster(folder)
    try:
        made.start()
        yield made
    finally:
        made.close()
