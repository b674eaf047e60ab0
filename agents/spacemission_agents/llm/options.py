"""Reads the options of `llm:MODEL?option=value&…`, and limits and prices from the environment."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

from spacemission_env.core.errors import AgentError, shown

NULL = "null"  # the model that asks nobody
# The names that clients of the chat-completions form read.
URL, KEY, DEFAULT_URL = "OPENAI_BASE_URL", "OPENAI_API_KEY", "https://api.openai.com/v1"
TRANSCRIPTS = "SPACEMISSION_LLM_TRANSCRIPTS"  # folder; the commands set it for their worker processes
MOST_TOKENS, MOST_COST, PRICES = (f"SPACEMISSION_LLM_{name}" for name in ("MAX_TOKENS", "MAX_COST", "PRICES"))


@dataclass(frozen=True)
class Options:
    """How a language model is asked.

    Attributes:
        model: its name at the server.
        retries: how often it may answer again after an answer without a legal move; then it forfeits.
        names: None: the game's own names; else the seed of neutral ones.
        rules: "short" or "long".
        history: how many of the last moves the prompt tells; None: all.
        budget: most characters of a prompt, besides the rules; None: no limit.
        legal: whether the prompt lists the legal moves.
        temperature: None: the server's own.
        tokens: most tokens of an answer; None: the server's own limit.
        timeout: seconds that a server may be silent.
        tries: how often a question is sent at most, if the server fails.
        at_once: how many questions are under way at once.
    """

    model: str
    retries: int = 2
    names: int | None = None
    rules: str = "long"
    history: int | None = None
    budget: int | None = None
    legal: bool = False
    temperature: float | None = None
    tokens: int | None = None
    timeout: float = 300.0
    tries: int = 8
    at_once: int = 32


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or len(text) > 18 or not low <= int(text) <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return int(text)

    return read


def _number(high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= high:
            raise ValueError(f"a number from 0 to {high:g}")
        return value

    return read


def _illegal(text: str) -> int:
    if text == "forfeit":
        return 0
    if text.startswith("retry:"):
        return _whole(1, 20)(text[6:])
    raise ValueError("retry:NUMBER or forfeit")


def _names(text: str) -> int | None:
    name, _, seed = text.partition(":")
    if name not in ("own", "neutral") or (seed and name == "own"):
        raise ValueError("own, neutral or neutral:SEED")
    return None if name == "own" else _whole(0, 2**31)(seed or "0")


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(" or ".join(words))
        return text

    return read


READERS: dict[str, tuple[str, Callable[[str], object]]] = {  # by option: field of `Options`, and its reader
    "illegal": ("retries", _illegal),
    "names": ("names", _names),
    "rules": ("rules", _one_of("short", "long")),
    "history": ("history", lambda text: None if text == "all" else _whole(0, 10**6)(text)),
    "budget": ("budget", _whole(1, 10**7)),
    "legal": ("legal", lambda text: _one_of("yes", "no")(text) == "yes"),
    "temperature": ("temperature", _number(10)),
    "tokens": ("tokens", _whole(1, 10**7)),
    "timeout": ("timeout", _number(86_400)),
    "tries": ("tries", _whole(1, 100)),
    "at_once": ("at_once", _whole(1, 512)),
}


def read_options(parameter: str | None) -> Options:
    """The options of `MODEL?option=value&…`; AgentError names what is wrong."""
    model, _, rest = (parameter or "").partition("?")
    if not model:
        raise AgentError("agent llm: expected llm:MODEL, such as llm:gpt-5-mini")
    given: dict[str, object] = {}
    for part in filter(None, rest.split("&")):
        name, _, value = part.partition("=")
        if name not in READERS:
            raise AgentError(f"agent llm: option {shown(name)}: expected one of {', '.join(READERS)}")
        field, read = READERS[name]
        try:
            given[field] = read(unquote(value))
        except ValueError as error:
            raise AgentError(f"agent llm: option {name}: expected {error}, not {shown(value)}") from None
    return Options(model, **given)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Purse:
    """What may be spent, from the environment.

    Attributes:
        tokens: most tokens of all answers and prompts in the transcripts; None: no limit.
        cost: most dollars; None: no limit.
        prices: dollars of a million prompt tokens, and of a million answer tokens.
    """

    tokens: float | None
    cost: float | None
    prices: tuple[float, float]

    def price(self, prompt: int, answer: int) -> float:
        """Dollars of one answer, for servers that do not name them."""
        return (prompt * self.prices[0] + answer * self.prices[1]) / 1e6


def read_purse() -> Purse:
    """The limits and prices in the environment; AgentError if one is no number."""

    def numbers(name: str, count: int) -> list[float]:
        given = os.environ.get(name, "")
        try:
            found = [_number(1e15)(part.strip()) for part in given.split(",")] if given else []
        except ValueError:
            found = [-1.0]
        if given and (len(found) != count or min(found) < 0):
            raise AgentError(f"{name}: expected {'two numbers, such as 0.25,2' * (count > 1) or 'a number'}")
        return found

    tokens, cost, prices = numbers(MOST_TOKENS, 1), numbers(MOST_COST, 1), numbers(PRICES, 2)
    if cost and not prices and os.environ.get(URL) is None:
        raise AgentError(
            f"{MOST_COST}: needs {PRICES}, dollars of a million prompt and answer tokens: 0.25,2"
        )
    pair = (prices[0], prices[1]) if prices else (0.0, 0.0)
    return Purse(tokens[0] if tokens else None, cost[0] if cost else None, pair)
