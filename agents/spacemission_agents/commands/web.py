"""Defines `spacemission web`, which serves the browser game."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spacemission_agents.commands.shared import split_agents

Agents = Annotated[
    str | None,
    typer.Option(
        "--agents", help="Agents to offer besides the installed ones: policy:PATH, label=module:Class, …"
    ),
]


def web(
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the server.")] = 8765,
    host: Annotated[
        str, typer.Option("--host", help="Address of the server; 0.0.0.0 admits other machines.")
    ] = "127.0.0.1",
    data: Annotated[
        Path | None, typer.Option("--data", help="File for the games; default: a file in your data folder.")
    ] = None,
    name: Annotated[list[str] | None, typer.Option("--name", help="Another host name of the server.")] = None,
    agents: Agents = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Play in the browser, with people and agents in any seats, and review games.

    Ctrl-C stops the server; it continues all games when it starts again.
    """
    from spacemission_agents.web.serving import serve

    extra = () if agents is None else tuple(split_agents(agents))
    serve(host, port, data, frozenset(name or ()), extra, show)
