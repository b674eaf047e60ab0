"""Typed errors. Each message is one line that names what was refused, where, and why."""

LONGEST = 600  # characters of a message


def printable(text: str) -> str:
    """The text with escapes in the place of control characters, which a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class SpaceMissionError(ValueError):
    """Base of everything that this package refuses; the command line prints it and exits with 1."""

    def __init__(self, message: object = "") -> None:
        """Keep the message to one printable line, whatever values it quotes."""
        line = printable(" ".join(str(message).split()))
        super().__init__(line if len(line) <= LONGEST else line[: LONGEST - 1] + "…")


class ComponentsError(SpaceMissionError):
    """A components file that does not describe the game's box."""


class RulesError(SpaceMissionError):
    """A rules option or preset that does not exist or is out of range."""


class SetupError(SpaceMissionError):
    """A set-up or saved state that does not hold together."""


class IllegalActionError(SpaceMissionError):
    """A move that the rules do not allow, or one after the end of the game."""


class RecordError(SpaceMissionError):
    """A game record that does not hold; the message names the line."""


class AgentError(SpaceMissionError):
    """An agent name, parameter or model folder that cannot be used."""


class SeedError(SpaceMissionError):
    """A seed that is not an integer from 0 to 2**63 - 1."""
