"""Defines `spacemission web`: the browser game."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spacemission_agents.commands.shared import split_agents

Agents = Annotated[
    str | None,
    typer.Option(
        "--agents", help="Agents to offer beside the installed ones: policy:PATH, label=module:Class, …"
    ),
]


def web(
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Where to listen.")] = 8765,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen at; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    data: Annotated[
        Path | None, typer.Option("--data", help="File of the games; default: in your data folder.")
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="A further host name that the server may be called by.")
    ] = None,
    agents: Agents = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Play in the browser: people and agents in any seats, games that survive a restart, reviews.

    Ctrl-C ends the server; the games are kept.
    """
    from spacemission_agents.web.serving import serve

    extra = () if agents is None else tuple(split_agents(agents))
    serve(host, port, data, frozenset(name or ()), extra, show)
