"""Plays games of scripted models over MCP in process, with refusals, forfeits, resigning and bad calls."""

import asyncio
import random
import sys
from collections import Counter

from mcp import Client

from spacemission_agents.doors.mcp_server import make_server

GAMES = int(sys.argv[1]) if len(sys.argv) > 1 else 20


async def call(client: Client, name: str, **given: str) -> str:
    result = await client.call_tool(name, given)
    text = "".join(part.text for part in result.content)
    return f"ERROR {text}" if result.is_error else text


async def play(client: Client, seed: int) -> str:
    """One game of Kuhn poker: against an agent, or two models at one table; how it ended."""
    rng = random.Random(seed)
    who = rng.choice(["model,random", "random,model", "model,model"])
    said = await call(client, "new_game", game="kuhn_poker", seats_by_number=who)
    tokens = [line.split()[-1] for line in said.split("\n") if line.startswith("player_")]
    assert len(tokens) == who.count("model") and "Kuhn" in said
    wants = rng.choice(["play", "play", "play", "insist", "resign"])
    while True:
        views = [await call(client, "view", token=token) for token in tokens]
        assert all(view.count("Won: ") == ("The game is over" in view) for view in views), views
        if "Won: " in views[0]:
            return "rules"
        moves = [(await call(client, "legal_moves", token=token)).split() for token in tokens]
        (at,) = (i for i, legal in enumerate(moves) if legal)
        for i, token in enumerate(tokens):
            if i != at:
                assert await call(client, "play", token=token, move="bet") == "It is not your move.\n"
        if wants == "play":
            await call(client, "play", token=tokens[at], move=rng.choice(moves[at]).upper())
            continue
        if wants == "resign":
            said = await call(client, "resign", token=tokens[at])
            assert "it resigned" in said
        else:
            for _ in range(2):
                said = await call(client, "play", token=tokens[at], move='bet"} {"move": "fold')
                assert "not legal" in said and "Choose another move" in said, said
            said = await call(client, "play", token=tokens[at], move="steal")
            assert "it gave no legal move" in said, said
        assert "The game is over" in await call(client, "play", token=tokens[at], move="bet")
        return wants


async def main() -> None:
    async with Client(make_server()) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"games", "new_game", "view", "legal_moves", "play", "resign"}
        assert "planet_hexx" in await call(client, "games")
        for seats in ("model", "random,random", "model,os:system", "model,command:ls"):
            assert "ERROR" in await call(client, "new_game", game="kuhn_poker", seats_by_number=seats), seats
        assert "no such seat" in await call(client, "view", token="")
        print(Counter([await play(client, seed) for seed in range(GAMES)]))


asyncio.run(main())
