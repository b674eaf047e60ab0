"""What agents answer, looked at before it is played; and their failures in one line."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from spacemission_env.core.arguments import is_whole
from spacemission_env.core.errors import AgentError, failure, shown

if TYPE_CHECKING:
    from spacemission_env.core.agents import Agent
    from spacemission_env.core.decisions import Decisions


def label_and_spec(text: str) -> tuple[str | None, str]:
    """What stands before and after the = of `label=spec`; without a label None, and the text.

    In `policy:runs/lr=0.1/model` there is no label: one stands before the first colon.
    """
    label, equals, spec = text.partition("=")
    return (label.strip(), spec.strip()) if equals and ":" not in label else (None, text)


def agent_name(agent: Any) -> str:
    """What an agent, a function or a spec is called in messages, tables and records; a label comes first."""
    if isinstance(agent, str):
        label, spec = label_and_spec(agent)
        return spec if label is None else label
    if isinstance(agent, partial):
        agent = agent.func
    name = getattr(agent, "__name__", None)  # of functions, and agents made of them
    return name if isinstance(name, str) and name.isprintable() else type(agent).__name__


def answered(agent: Agent, decisions: Decisions, name: str | None = None) -> np.ndarray:
    """What an agent plays in these decisions, as it may see them (`Decisions.part`): int64 (n,).

    Whether the moves are legal is for the game to say.

    Args:
        agent: whom to ask.
        decisions: all of them, one a row.
        name: of the agent in messages; default: its own.

    Raises:
        AgentError: one line that names the agent: it failed, and where in its code, or its answer is no
            integers.
    """
    who = agent_name(agent) if name is None else name
    try:
        given = agent.act(decisions)
    except AgentError:
        raise
    except (Exception, SystemExit) as error:  # a limit of time (arena) and Ctrl-C pass
        raise AgentError(f"agent {who!r}: failed with {failure(error)}") from error
    try:
        return integers(given, len(decisions))
    except AgentError as error:
        raise AgentError(f"agent {who!r}: {error}") from None


def integers(given: Any, count: int) -> np.ndarray:
    """An answer to `count` decisions as int64 (count,); AgentError, one line, where it is no integers."""
    try:
        array = np.asarray(given)
    except Exception as error:
        raise AgentError(f"act: answer of no form: {failure(error)}") from None
    if array.shape == (count,) and (array.dtype.kind in "iu" or count == 0):
        return array.astype(np.int64)
    got = shown(given) if array.ndim <= 1 and array.size <= 1 else f"{array.dtype} of shape {array.shape}"
    expected = f"{count} integer{'s' * (count != 1)}"
    raise AgentError(f"act: expected {expected}, got {got} ({type(given).__name__})")


def one_integer(given: Any, who: str) -> int:
    """The answer to one decision as an int; AgentError, one line, where it is no integer.

    Arrays without a dimension are taken as their number.
    """
    number = given.item() if isinstance(given, np.ndarray) and given.shape == () else given
    if is_whole(number):
        return int(number)
    got = f"{shown(given)} ({type(given).__name__})"
    raise AgentError(f"agent {who!r}: choose: expected an integer, got {got}")
