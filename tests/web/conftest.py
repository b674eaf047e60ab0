"""Provides a server for the tests of a module."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support.web_server import Server, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("web") / "games.sqlite3") as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, timeout=120) as made:
        yield made
