"""Chromium for tests of pages; they are skipped where it is not installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.paths import ROOT

OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
OPTIONS += ["--disable-background-networking", "--disable-component-update"]
AXE = ROOT / "tests" / "web" / "vendor" / "axe.min.js"  # axe-core, as npm has it
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def chromium() -> str | None:
    """Where it is: $CHROMIUM, or what the path has."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def needs_chromium() -> None:
    """Skip the tests of a module where there is no browser."""
    if chromium() is None:
        pytest.skip("chromium is not installed (apt-get install chromium)", allow_module_level=True)
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@dataclass
class Watched:
    """A page, and what went wrong on it."""

    page: Any  # of Playwright
    wrong: list[str] = field(default_factory=list)  # lines of the console and errors
    asked: set[str] = field(default_factory=set)  # hosts that it asked for anything


@contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium that resolves no names but this machine's."""
    from playwright.sync_api import sync_playwright

    rules = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=chromium(), args=[*OPTIONS, rules])
        yield made
        made.close()


@contextmanager
def page_of(browser: Any, address: str, **options: Any) -> Iterator[Watched]:
    """A fresh page that knows the address as its base."""
    context = browser.new_context(**{"base_url": address, "viewport": DESKTOP, **options})
    watched = Watched(context.new_page())
    watched.page.set_default_timeout(60_000)

    def note(message: Any) -> None:
        if message.type in ("error", "warning"):
            watched.wrong.append(f"{message.type}: {message.text}")

    watched.page.on("console", note)
    watched.page.on("pageerror", lambda error: watched.wrong.append(f"error: {error}"))
    watched.page.on("request", lambda request: watched.asked.add(urlsplit(request.url).hostname or "data"))
    yield watched
    context.close()
