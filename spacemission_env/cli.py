"""Runs the program `spacemission` and finds its subcommands by entry point.

Each entry of the group "spacemission.commands" is a plain function with typer annotations or a `typer.Typer`.
It is imported when its command is looked up. Exit status: 0 success; 1 refused or failed, with one line on
standard error; 2 wrong usage; 130 stopped by the user.
"""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import EntryPoint, PackageNotFoundError, requires
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from spacemission_env.core.errors import SpaceMissionError, did_you_mean, failed_at, printable
from spacemission_env.core.game_spec import entries_of
from spacemission_env.version import __version__

GROUP = "spacemission.commands"
PACKAGE = "spacemission-env"
TRACEBACK = "SPACEMISSION_TRACEBACK"  # if set, errors show their traceback
STOPPED = 130


class UnavailableError(SpaceMissionError):
    """A command that cannot be loaded, most often because an optional package is missing."""


class Commands(TyperGroup):
    """The subcommands; each is imported on first use."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_entries())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The subcommand, or None if unknown; if its import fails, a substitute that only reports why."""
        entry = _entries().get(cmd_name)
        if entry is None:
            return None
        try:
            return _command(cmd_name, entry.load())
        except Exception as error:  # a broken plug-in must not stop the other commands
            if TRACEBACK in os.environ:
                raise
            return _unavailable(cmd_name, error)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the subcommand; suggest a similar name for an unknown one."""
        if args and args[0] not in _entries() and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}{did_you_mean(args[0], _entries())}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand; turn an error into one line and an exit status."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            raise  # the reader closed the pipe: typer exits silently
        except (SpaceMissionError, OSError, ImportError) as error:
            if TRACEBACK in os.environ:
                raise
            complain("; ".join((in_words(error), *getattr(error, "__notes__", ()))))
            raise typer.Exit(1) from None
        except KeyboardInterrupt as stop:
            complain("; ".join(("stopped", *getattr(stop, "__notes__", ()))))
            raise typer.Exit(STOPPED) from None


def _entries() -> dict[str, EntryPoint]:
    return entries_of(GROUP)


def _command(name: str, target: Any) -> Any:
    if isinstance(target, typer.Typer):
        target.rich_markup_mode = None
        sub = target
    else:
        sub = typer.Typer(add_completion=False, rich_markup_mode=None)
        sub.command(name=name)(target)
    sub._add_completion = False
    command = typer.main.get_command(sub)
    command.name = name
    return command


def _unavailable(name: str, error: Exception) -> Any:
    """A command that accepts any arguments and reports why it cannot run."""
    reason = f"{name}: {in_words(error)}"

    def refuse(ctx: typer.Context) -> None:
        raise UnavailableError(reason)

    refuse.__doc__ = f"Not available here: {in_words(error)}."
    stub = typer.Typer(add_completion=False, rich_markup_mode=None)
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    stub.command(name=name, add_help_option=False, context_settings=anything)(refuse)
    return typer.main.get_command(stub)


def in_words(error: BaseException) -> str:
    """An error as one line."""
    if isinstance(error, ImportError):
        return _import_in_words(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split()) or type(error).__name__


def _import_in_words(error: ImportError) -> str:
    package = (error.name or "").partition(".")[0]
    extra = extra_of(package)
    if extra:
        return f"the package {package!r} is needed: pip install '{PACKAGE}[{extra}]'"
    return " ".join(str(error).split())


def extra_of(package: str) -> str | None:
    """The optional extra of this distribution that installs a package, read from the metadata."""
    try:
        requirements = requires(PACKAGE) or []
    except PackageNotFoundError:
        return None
    for requirement in requirements:
        found = re.match(r"([\w.-]+).*;\s*extra\s*==\s*['\"]([\w-]+)['\"]", requirement)
        if found and re.sub(r"[-.]", "_", found[1]).lower() == package.lower():
            return found[2]
    return None


def complain(line: str) -> None:
    """Print one line about an error on standard error."""
    print(f"spacemission: {printable(line)}", file=sys.stderr)


app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"spacemission {__version__}")
        raise typer.Exit


@app.callback()
def spacemission(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Space Mission: play, rate, train, replay. Each command has --help."""


def main() -> None:
    """Run the program and exit with its status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # without Unicode, print "?" for missing characters
    for size in ("COLUMNS", "LINES"):  # Rich would print nothing into 0 columns
        if not os.environ.get(size, "").strip("0"):
            os.environ.pop(size, None)
    try:
        app(prog_name="spacemission")
    except KeyboardInterrupt:
        complain("stopped")
        sys.exit(STOPPED)
    except Exception as error:
        if TRACEBACK in os.environ:
            raise
        place = f" ({failed_at(error)})" if failed_at(error) else ""  # file of a game or bot
        complain(
            f"unexpected {type(error).__name__}: {in_words(error)}{place} (set {TRACEBACK}=1 to see where)"
        )
        sys.exit(1)
