"""Starts Chromium for tests of web pages; without it they are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.support.paths import ROOT

if TYPE_CHECKING:  # playwright is optional
    from playwright.sync_api import Browser, ConsoleMessage, Page

OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
OPTIONS += ["--disable-background-networking", "--disable-component-update"]
AXE = ROOT / "tests" / "web" / "vendor" / "axe.min.js"  # axe-core from npm
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def chromium() -> str | None:
    """Its path: $CHROMIUM, or found on the PATH."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def needs_chromium() -> None:
    """Skip the module's tests without a browser."""
    if chromium() is None:
        pytest.skip("chromium is not installed (apt-get install chromium)", allow_module_level=True)
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@dataclass
class Watched:
    """A page and its errors."""

    page: Page
    wrong: list[str] = field(default_factory=list)  # console lines and errors
    asked: set[str] = field(default_factory=set)  # hosts of its requests


@contextmanager
def browser() -> Iterator[Browser]:
    """A headless Chromium that resolves no host names but localhost."""
    from playwright.sync_api import sync_playwright

    rules = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=chromium(), args=[*OPTIONS, rules])
        yield made
        made.close()


@contextmanager
def page_of(browser: Browser, address: str, **options: object) -> Iterator[Watched]:
    """A new page with this base address."""
    context = browser.new_context(**{"base_url": address, "viewport": DESKTOP, **options})
    watched = Watched(context.new_page())
    watched.page.set_default_timeout(60_000)

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            watched.wrong.append(f"{message.type}: {message.text}")

    watched.page.on("console", note)
    watched.page.on("pageerror", lambda error: watched.wrong.append(f"error: {error}"))
    watched.page.on("request", lambda request: watched.asked.add(urlsplit(request.url).hostname or "data"))
    yield watched
    context.close()
