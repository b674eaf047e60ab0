"""What the server refuses: one line and an HTTP status."""

from __future__ import annotations

from spacemission_env.core.errors import SpaceMissionError


class WebError(SpaceMissionError):
    """A request, or a start of the server, that is refused.

    Attributes:
        status: of the HTTP answer.
    """

    def __init__(self, message: object = "", status: int = 400) -> None:
        """One line, and the status that goes with it."""
        super().__init__(message)
        self.status = status


def damaged(id: str, why: object) -> WebError:
    """What is kept of a game cannot be read."""
    return WebError(f"game {id} is damaged: {why}", 503)


def not_there() -> WebError:
    """No such game, or no such link: nobody is told which."""
    return WebError("there is no such game, or this link is not for it", 404)
