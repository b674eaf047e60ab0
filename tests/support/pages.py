"""Runs code examples of the documentation."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT


def blocks(page: str, language: str = "python") -> list[str]:
    """The code blocks of a page; paths start at the root."""
    return re.findall(rf"```(?:{language})\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


def shell(script: str, folder: Path) -> str:
    """Run a script in a folder, with the command `spacemission`; return its output. It must not fail."""
    program = folder / "bin" / "spacemission"
    if not program.exists():
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spacemission_env "$@"\n')
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", "-c", script]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{script}: {done.stderr[-500:]}"
    return done.stdout
