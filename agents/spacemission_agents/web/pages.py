"""The files of the page, and the content security policy that goes with them."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from spacemission_env.pictures.themes import style_sheet

INDEX = "index.html"
COLOURS = "colours.css"  # made of the pictures' colours
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class Page:
    """One file: its bytes, type and entity tag."""

    body: bytes
    type: str
    tag: str


def read_pages() -> dict[str, Page]:
    """All files by their path below /static/."""
    found = {COLOURS: _page(COLOURS, style_sheet().encode())}
    _collect(files("spacemission_agents.web") / "static", "", found)
    return found


def _collect(folder: Any, path: str, found: dict[str, Page]) -> None:
    for entry in folder.iterdir():
        name = f"{path}{entry.name}"
        if entry.is_dir():
            _collect(entry, f"{name}/", found)
        elif name.rpartition(".")[2] in TYPES:
            found[name] = _page(name, entry.read_bytes())


def _page(name: str, body: bytes) -> Page:
    return Page(body, TYPES[name.rpartition(".")[2]], f'"{hashlib.sha256(body).hexdigest()[:20]}"')


def policy(pages: dict[str, Page]) -> str:
    """Only files of this server; of what stands in the page itself, only the import map, by its digest."""
    inline = re.findall(rb"<script type=\"importmap\">(.*?)</script>", pages[INDEX].body, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in inline]
    scripts = " ".join(["'self'", *(f"'sha256-{digest}'" for digest in digests)])
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )
