"""Defines `spacemission new-bot`, which writes a first bot and its test."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from spacemission_env.commands.shared import GameOption, Json, Seed, emit_json
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import DEFAULT_GAME

LONGEST = 60  # maximum number of characters of a name


def new_bot(
    name: Annotated[str, typer.Argument(help="Name of the module, such as my_bot.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write it to.")] = Path("."),
    game: GameOption = DEFAULT_GAME,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Write NAME.py, a small bot for you to change, and its test test_NAME.py.

    docs/your_own_bot.md says how to continue. --seed has no effect.
    """
    from spacemission_agents.game_agents import find_game_agents
    from spacemission_env.core.agents import agent_names
    from spacemission_env.core.game_spec import find_game

    spec = find_game(game)
    templates = importlib.import_module(find_game_agents(spec).bot_module)
    files = [out / f"{name}.py", out / f"test_{name}.py"]
    check_name(name)
    for file in files:
        if file.exists():
            raise AgentError(f"bot {name!r}: {file} exists already")
    # a module of the same name would hide the bot
    if name in sys.stdlib_module_names or importlib.util.find_spec(name) is not None:
        raise AgentError(f"bot {name!r}: a module of this name is installed already")
    cls = class_name(name)
    named = {"name": name, "cls": cls, "game": spec.name}
    out.mkdir(parents=True, exist_ok=True)
    for file, text in zip(files, (templates.BOT, templates.TEST), strict=True):
        file.write_text(text.substitute(named), encoding="utf-8", newline="\n")
    if as_json:
        emit_json({"agent": f"{name}:{cls}", "files": [str(file) for file in files]})
        return
    print(f"written: {files[0]} and {files[1]}")
    option = "" if game == DEFAULT_GAME else f"--game {game} "
    other = "greedy" if "greedy" in agent_names(spec) else "random"
    print(
        f"next, in that folder: python -m pytest test_{name}.py (pip install pytest); "
        f"spacemission play {option}--agents {name}:{cls},{other}"
    )


def class_name(name: str) -> str:
    """The name of a bot's class: `MyBot` for the module `my_bot`, `HalBot` for `hal`."""
    cls = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return cls if cls.endswith("Bot") else cls + "Bot"


def check_name(name: str) -> None:
    """Raise AgentError if a bot's module cannot have this name."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII) or len(name) > LONGEST:
        raise AgentError(
            f"bot {name!r}: expected a Python name of at most {LONGEST} letters, digits and _, beginning "
            "with a letter"
        )
    if keyword.iskeyword(name) or name.startswith("test_"):
        raise AgentError(f"bot {name!r}: keywords of Python and names with test_ are not for bots")
