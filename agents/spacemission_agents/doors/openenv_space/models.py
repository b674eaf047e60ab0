"""Defines the messages to and from an OpenEnv client."""

from __future__ import annotations

from openenv.core.env_server.types import Action, Observation
from pydantic import Field


class SeatAction(Action):
    """What the model answers with."""

    move: str = Field(description="One move in the words of the game, such as `bet`.")


class SeatObservation(Observation):
    """What the seat may know, and nothing that is hidden from it."""

    text: str = Field(default="", description="Table and question, or why a move is refused, or the result.")
    rules: str = Field(default="", description="The rules, after a reset.")
    legal_moves: list[str] = Field(default_factory=list, description="Only if the server is to tell them.")
