"""Serves the games to chat programs by MCP: `python -m spacemission_agents.doors.mcp_server`."""

from __future__ import annotations

import json
import secrets
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from spacemission_agents.doors.table import MODEL, RETRIES, Table
from spacemission_agents.web.catalogue import offers
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import loadable_games

MOST = 1000  # maximum number of seats in memory; the oldest are dropped first
HOW = "Board games against agents. Call new_game, look with view, move with play; never invent a position."


def make_server(extra: tuple[str, ...] = (), retries: int = RETRIES) -> MCPServer:
    """A server with its own games; `extra`: agents to offer besides the installed ones."""
    server: MCPServer = MCPServer("spacemission", instructions=HOW)
    seats: OrderedDict[str, tuple[Table, int]] = OrderedDict()  # by token
    lock = threading.Lock()  # tools run in threads, but a game takes one move at a time

    def tool(function: Callable[..., str]) -> Callable[..., str]:
        @wraps(function)
        def locked(**given: str) -> str:
            try:
                with lock:
                    return function(**given)
            except SpaceMissionError as error:
                raise ToolError(str(error)) from None

        return server.tool(structured_output=False)(locked)

    def seat_of(token: str) -> tuple[Table, int]:
        if token in seats:
            return seats[token]
        raise ToolError("There is no such seat. new_game gives tokens.")

    @tool
    def games() -> str:
        """The games, their numbers of players and the agents to play against."""
        return "\n".join(
            f"{spec.name} ({spec.title}): {spec.player_numbers}; agents: {', '.join(offers(spec, extra))}"
            for spec in loadable_games()
        )

    @tool
    def new_game(game: str = "space_mission", seats_by_number: str = f"{MODEL},greedy") -> str:
        """Begin a game and get tokens: name an agent for each seat, or "model" to play it by these tools."""
        table = Table(game, [name.strip() for name in seats_by_number.split(",")], retries, extra=extra)
        table.deal()
        told, rules = [], ""
        for seat, text in table.texts.items():
            token, rules = secrets.token_urlsafe(12), text.rules()
            seats[token] = table, seat
            told.append(f"player_{seat}: token {token}")
        while len(seats) > MOST:
            seats.popitem(last=False)
        return "\n".join([*told, "", rules])

    @tool
    def view(token: str) -> str:
        """What this seat may know now: table, moves so far and forms of moves, and at the end the result."""
        table, seat = seat_of(token)
        return table.tell(seat)

    @tool
    def legal_moves(token: str) -> str:
        """The legal moves, one a line, if it is this seat's turn."""
        table, seat = seat_of(token)
        return "" if table.over else "\n".join(table.texts[seat].legal_moves())

    @tool
    def play(token: str, move: str) -> str:
        """Make a move; get the table after it, or why it was refused. Too many refused moves forfeit."""
        table, seat = seat_of(token)
        return table.answer(seat, json.dumps({"move": move})) or table.tell(seat)

    @tool
    def resign(token: str) -> str:
        """Give the game up; the seat loses it."""
        table, seat = seat_of(token)
        if not table.over:
            table.forfeit(seat, "it resigned")
        return table.tell(seat)

    return server


if __name__ == "__main__":
    make_server(tuple(sys.argv[1:])).run("stdio")
