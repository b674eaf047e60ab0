"""Reads the options of `llm:MODEL?option=value&…`, and spending limits from environment variables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from spacemission_env.core.errors import AgentError, shown

NULL = "null"  # the name of a model that stands for random moves without a server
# Environment variables that other chat-completions clients read too, and the default server.
URL, KEY, DEFAULT_URL = "OPENAI_BASE_URL", "OPENAI_API_KEY", "https://api.openai.com/v1"
TRANSCRIPTS = "SPACEMISSION_LLM_TRANSCRIPTS"  # folder of answers; commands set it for their worker processes
TOKENS, COST, PRICES = "SPACEMISSION_LLM_TOKENS", "SPACEMISSION_LLM_COST", "SPACEMISSION_LLM_PRICES"


@dataclass(frozen=True)
class Options:
    """How a language model is asked.

    Attributes:
        model: name of the model at the server.
        illegal: "retry:NUMBER": how often the model may answer again after an answer without a legal move;
            "forfeit": never.
        names: "own", or "neutral:SEED" (`NeutralNames`).
        rules: "short" or "long".
        history: number of the last moves that the prompt lists; None: all moves.
        budget: maximum number of characters of a prompt without the rules; None: no limit.
        legal: "yes" if the prompt lists the legal moves.
        temperature: sampling temperature; None: the server's default.
        tokens: maximum number of tokens of an answer; None: the server's limit.
        timeout: maximum number of seconds in which the server sends nothing.
        at_once: maximum number of questions under way at the same time.
    """

    model: str
    illegal: str = "retry:2"
    names: str = "own"
    rules: str = "long"
    history: int | None = None
    budget: int | None = None
    legal: str = "no"
    temperature: float | None = None
    tokens: int | None = None
    timeout: float = 300.0
    at_once: int = 32

    @property
    def retries(self) -> int:
        return int(self.illegal.partition(":")[2] or 0)

    @property
    def names_seed(self) -> int:
        return int(self.names.partition(":")[2] or 0)


# For each option, its values (a number follows a ":"), or its lowest and highest number (int for integers).
VALUES: dict[str, tuple[Any, ...]] = {
    "illegal": ("retry:", "forfeit"), "names": ("own", "neutral", "neutral:"), "rules": ("short", "long"),
    "history": (0, 10**6), "budget": (1, 10**7), "legal": ("yes", "no"), "temperature": (0.0, 10.0),
    "tokens": (1, 10**7), "timeout": (0.01, 86_400.0), "at_once": (1, 512),
}  # fmt: skip


def read_options(parameter: str | None) -> Options:
    """The options of `MODEL?option=value&…`; AgentError names the part that is wrong."""
    model, _, rest = (parameter or "").partition("?")
    if not model:
        raise AgentError("agent llm: expected llm:MODEL, such as llm:gpt-5-mini")
    given: dict[str, object] = {}
    for part in filter(None, rest.split("&")):
        name, _, value = part.partition("=")
        if name not in VALUES:
            raise AgentError(f"agent llm: option {shown(name)}: expected one of {', '.join(VALUES)}")
        given[name] = _value(f"agent llm: option {name}", value, VALUES[name])
    return Options(model, **given)  # type: ignore[arg-type]


def _value(what: str, text: str, allowed: tuple[Any, ...]) -> Any:
    low, high = allowed[0], allowed[-1]
    if isinstance(low, str):
        word, colon, number = text.partition(":")
        if f"{word}{colon}" in allowed and (number.isdecimal() and len(number) < 3 if colon else True):
            return text
        raise AgentError(f"{what}: expected {', '.join(map(str, allowed))}, not {shown(text)}")
    try:
        found = type(low)(text)
    except ValueError:
        found = None
    if found is None or not low <= found <= high:
        raise AgentError(f"{what}: expected a number from {low:,} to {high:,}, not {shown(text)}")
    return found


def spending() -> tuple[float, float, float, float]:
    """Maximum tokens and dollars in all (1e15: no limit), and dollars per million prompt and answer tokens.

    AgentError: a variable is not a number in its range, or dollars are limited but no prices are given.
    """
    most = [_value(name, os.environ.get(name) or "1e15", (0.0, 1e15)) for name in (TOKENS, COST)]
    prices = os.environ.get(PRICES, "")
    if os.environ.get(COST) and not prices:
        raise AgentError(f"{COST}: needs {PRICES}: dollars of a million prompt and answer tokens: 0.25,2")
    first, comma, second = (prices or "0,0").partition(",")
    if not comma:
        raise AgentError(f"{PRICES}: expected two numbers, such as 0.25,2, not {shown(prices)}")
    return *most, *(_value(PRICES, text, (0.0, 1e6)) for text in (first, second))
