"""Writes the report of a tournament: a JSON object, and an HTML page made from it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spacemission_agents.report.page import html_page
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import PICTURE_BYTES, read_bytes
from spacemission_env.core.writing import write_whole

JSON_FILE = "arena.json"
HTML_FILE = "report.html"


def prepare_folder(folder: str | Path) -> None:
    """Make the report folder; AgentError where it cannot be made or written to."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise AgentError(f"report folder {str(folder)!r}: cannot be made: {reason}") from None
    if not os.access(folder, os.W_OK):
        raise AgentError(f"report folder {str(folder)!r}: cannot be written")


def read_pictures(paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Name and bytes of PNG files for the report; AgentError where one is none."""
    pictures = []
    for path in paths:
        data = read_bytes(path, PICTURE_BYTES, AgentError, f"picture {path!r}")
        if not data.startswith(b"\x89PNG\r\n"):
            raise AgentError(f"picture {path!r}: not a PNG file")
        pictures.append((Path(path).stem, data))
    return pictures


def write_report(
    folder: str | Path, report: dict[str, Any], pictures: Sequence[tuple[str, bytes]] = ()
) -> None:
    """Write `arena.json` and `report.html` into a folder, each file whole or not at all.

    Raises:
        AgentError: the folder cannot be written.
    """
    folder = Path(folder)
    prepare_folder(folder)
    texts = {
        JSON_FILE: json.dumps(report, indent=2, ensure_ascii=False) + "\n",
        HTML_FILE: html_page(report, pictures),
    }
    try:
        for name, text in texts.items():
            # a file name can hold stray bytes
            write_whole(folder / name, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        reason = error.strerror or error
        raise AgentError(f"report folder {str(folder)!r}: cannot be written: {reason}") from None
