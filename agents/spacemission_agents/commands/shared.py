"""Defines options that several commands share."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, get_type_hints

import typer

from spacemission_agents.report.text import decimal, model_words
from spacemission_env.commands.shared import print_text
from spacemission_env.core.errors import AgentError, shown
from spacemission_env.core.reading import Json

AGENTS_HELP = (
    "Separated by commas: random, policy:PATH, module:Class, or any that `spacemission agents` lists. "
    'label=AGENT names an agent; write a comma inside an agent as "a:B:1,2" or with a backslash.'
)
OptionalAgents = Annotated[str | None, typer.Option("--agents", help=AGENTS_HELP)]
HUMAN = "human"  # a person, in --agents of `play`
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Maximum of processes; default: 2. Changes no result.")
]


Transcripts = Annotated[
    str | None,
    typer.Option("--transcripts", help="Folder for what language models (llm:…) are asked and answer."),
]


@contextmanager
def transcripts(folder: str | None) -> Iterator[Callable[[], list[Json]]]:
    """Store questions to language models and their answers in a folder, also in worker processes.

    If `folder` is None, an environment variable names it. Yields a function that returns the rows of
    `Store.summary`, or no rows if no model has been asked.
    """
    from spacemission_agents.llm.options import TRANSCRIPTS
    from spacemission_agents.llm.store import summary_of

    before = os.environ.get(TRANSCRIPTS)
    if folder is not None:
        os.environ[TRANSCRIPTS] = str(Path(folder).absolute())
    try:
        yield lambda: summary_of(os.environ.get(TRANSCRIPTS))
    finally:
        os.environ.pop(TRANSCRIPTS, None)
        if before is not None:
            os.environ[TRANSCRIPTS] = before


def print_models(rows: Sequence[Json]) -> None:
    """Print what language models were asked, and what it cost."""
    for row in rows:
        print_text(f"{row['agent']}: {model_words(row)}")


def split_agents(agents: str) -> list[str]:
    r"""The agents of a comma-separated list; AgentError if one is empty.

    A comma inside double quotes or after a backslash belongs to the agent: `"my:Bot:1,2",greedy` or
    `my:Bot:1\,2,greedy`. A quote after a backslash belongs to the agent too.
    """
    found, quoted, escaped = [""], False, False
    for i, letter in enumerate(agents):
        if escaped:
            escaped = False
        elif letter == "\\" and agents[i + 1 : i + 2] in (",", '"'):
            escaped = True
            continue
        elif letter == '"':
            quoted = not quoted
            continue
        elif letter == "," and not quoted:
            found.append("")
            continue
        found[-1] += letter
    if quoted:
        raise AgentError(f"agents: a quote is not closed in {shown(agents)}")
    specs = [spec.strip() for spec in found]
    if not all(specs):
        raise AgentError(f"agents: expected names separated by commas, not {shown(agents)}")
    return specs


def summary(report: Json) -> str:
    """One line: the number of games, and how they ended."""
    games = f"{report['games']} game{'s' * (report['games'] != 1)}, {report['players']} players"
    forfeited = f", {report['forfeited']} forfeited" if report["forfeited"] else ""
    return (
        f"{games}, seed {report['seed']}: {report['finished']} finished, {report['truncated']} stopped by "
        f"the round limit{forfeited}, {decimal(report['rounds'])} rounds on average"
    )


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command whose parameters may be dataclasses, each field of which becomes an option."""
    hints = get_type_hints(command, include_extras=True)
    parts: dict[str, list[str]] = {}  # names of options, by parameter of the command
    options: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if not dataclasses.is_dataclass(hint):
            options.append(parameter.replace(annotation=hint))
            continue
        fields, kinds = dataclasses.fields(hint), get_type_hints(hint, include_extras=True)
        parts[parameter.name] = [field.name for field in fields]
        options += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=kinds[field.name],
            )
            for field in fields
        ]

    @wraps(command)
    def call(**given: object) -> None:
        groups = {
            name: hints[name](**{field: given.pop(field) for field in fields})
            for name, fields in parts.items()
        }
        command(**given, **groups)

    kinds = {option.name: option.annotation for option in options}
    call.__annotations__ = {**kinds, "return": None}
    only = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]
    setattr(call, "__signature__", inspect.Signature(only))  # noqa: B010 (mypy refuses an assignment)
    return call
