"""The commands of docs/terminal.md do what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from spacemission_env.terminal import table, viewer
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "terminal.md").read_text("utf-8")


def test_its_commands_run(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "spacemission"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spacemission_env "$@"\n')
    program.chmod(0o755)
    script = "set -e\n" + "\n".join(re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL))
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Stopped. The game is in mine.jsonl" in done.stdout
    assert "jumps to" in done.stdout
    assert "player_0 (you)" in done.stdout
    assert "player_1 holds" in done.stdout  # everything open


def test_every_key_stands_on_the_page() -> None:
    keys = re.findall(r"(?:^| )([a-zA-Z?\[\]+-])(?=[ ,]|$)", viewer.HELP, re.MULTILINE)
    assert len(set(keys)) > 10
    told = {key for key in keys if f"`{key}`" in PAGE}
    assert set(keys) - told <= {"a"}  # an article too
    assert all(f"`{line.split()[0]}`" in PAGE for line in table.HELP.splitlines()[3:])
