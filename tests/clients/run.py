"""Runs the smallest real loop of other projects' libraries over ours, each in a fresh environment.

`python -m tests.clients.run` (all) or `python -m tests.clients.run tianshou minari`, by hand and at night:
for each client pip installs its newest release beside a wheel of ours. That takes minutes and gigabytes.
`--keep FOLDER` keeps the environments, and uses those that are there. `--games N`: of each door (docs/llm.md)
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from tests.support.paths import ROOT

LOOPS = Path(__file__).parent
TORCH = "torch==2.13.0"  # a CPU build where one is offered
# What each client's script, `NAME_loop.py`, needs besides our wheel.
CLIENTS = {
    "tianshou": [TORCH, "tianshou>=2"],
    "torchrl": [TORCH, "torchrl"],
    "agilerl": [TORCH, "agilerl", "peft"],  # which it imports
    "supersuit": ["supersuit"],
    "rllib": [TORCH, "ray[rllib]"],
    "minari": ["minari[create,hdf5]", "pillow"],  # which its storage imports
    "openspiel": ["open_spiel"],
    "mcp": ["mcp"],
    "openenv": ["openenv"],
    "verifiers": ["verifiers"],
}
DOORS = ("mcp", "openenv", "verifiers")  # of ours; the extra of that name installs what they need


def run(client: str, wheel: Path, folder: Path, games: int) -> str:
    """Install a client beside our wheel and run its loop. Returns the versions that ran."""
    python = folder / client / "bin" / "python"
    if not python.exists():
        venv.create(folder / client, with_pip=True)
    ours = f"{wheel}[{client}]" if client in DOORS else wheel
    for needed in ([TORCH] if TORCH in CLIENTS[client] else [], [ours, *CLIENTS[client]]):
        if needed:  # torch first and by itself: it may be a file on this machine
            subprocess.run([python, "-m", "pip", "install", "-q", "--prefer-binary", *needed], check=True)
    command = [python, LOOPS / f"{client}_loop.py", str(games)]
    subprocess.run(command, check=True, cwd=folder, timeout=1800)
    frozen = subprocess.run([python, "-m", "pip", "freeze"], check=True, capture_output=True, text=True)
    names = ("numpy", "gymnasium", "pettingzoo", *(re.split(r"\W", one)[0] for one in CLIENTS[client]))
    return " ".join(line for line in frozen.stdout.split("\n") if line.lower().startswith(names))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(CLIENTS))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--games", type=int, default=20)
    options = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as made:
        build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", made, ROOT]
        subprocess.run(build, check=True)
        (wheel,) = Path(made).glob("*.whl")
        for client in options.clients or CLIENTS:
            began = time.monotonic()
            try:
                said = run(client, wheel, (options.keep or Path(made)).resolve(), options.games)
            except subprocess.SubprocessError as error:
                said = f"FAILED: {error}"
                failed.append(client)
            print(f"{client}: {said} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"{len(failed)} of {len(options.clients or CLIENTS)} clients failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
