"""Runs `spacemission watch`: steps through a recorded game with keys."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacemission_env.commands.shared import Json, Seed, emit_json
from spacemission_env.core.errors import RecordError

if TYPE_CHECKING:  # loading the compiled rules is slow
    from spacemission_env.terminal.screen import Screen
    from spacemission_env.terminal.viewer import Film, Viewer

RecordFile = Annotated[Path, typer.Argument(metavar="RECORD", help="Record file (JSON Lines).")]


def watch(
    file: RecordFile,
    number: Annotated[int, typer.Option("--number", min=1, help="Which game of the file, from 1.")] = 1,
    seat: Annotated[
        int | None, typer.Option("--seat", min=0, help="Show what this seat knew; default: everything.")
    ] = None,
    at: Annotated[int, typer.Option("--at", min=0, help="Start after this number of moves.")] = 0,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Step through a recorded game, forward and back, with keys; ? lists them.

    Without a terminal, print every move and the table after it, from --at to the end; with --json, print one
    line per move and no tables. --seed has no effect.
    """
    from spacemission_env.terminal.screen import Screen
    from spacemission_env.terminal.viewer import Viewer

    screen, film = Screen(), _film(file, number)
    if seat is not None and seat >= film.players:
        raise RecordError(f"{file}: game {film.number} has no seat {seat}, only 0 to {film.players - 1}")
    if at > len(film):
        raise RecordError(f"--at: game {film.number} of {file} has {len(film)} moves, not {at}")
    viewer = Viewer(film, seat, at)
    if as_json:
        _emit(viewer)
    elif screen.alive:
        _by_keys(screen, viewer, file)
    else:
        _print(screen, viewer)


def _film(file: Path, number: int) -> Film:
    from spacemission_env.records.reader import replay_file
    from spacemission_env.terminal.viewer import Film

    return Film(next(replay_file(file, number)))


def _emit(viewer: Viewer) -> None:
    film, seat = viewer.film, viewer.seat
    for place in range(viewer.place + 1, len(film) + 1):
        words = film.move(place, seat)
        emit_json({"number": film.number, "move": place, "round": film.rounds[place - 1], "words": words})
    emit_json({"number": film.number, "agents": film.agents, "moves": len(film), "cut": film.cut})


def _print(screen: Screen, viewer: Viewer) -> None:
    film, seat = viewer.film, viewer.seat
    screen.say(viewer.head().partition("\n")[0])
    screen.say(film.board(viewer.place, seat))
    for place in range(viewer.place + 1, len(film) + 1):
        screen.say(f"move {place} of {len(film)}, round {film.rounds[place - 1]}: {film.move(place, seat)}\n")
        screen.say(film.board(place, seat))
    screen.say(film.result())


def _by_keys(screen: Screen, viewer: Viewer, file: Path) -> None:
    from rich.text import Text

    from spacemission_env.terminal.viewer import read_key, single_keys

    console = screen.console
    with single_keys(), console.screen(hide_cursor=True) as whole:
        while not viewer.done:
            width, height = console.size
            lines = screen.text(viewer.body()).wrap(console, width)
            head = screen.text(viewer.head()).wrap(console, width)
            room = max(1, height - len(head) - 1)
            viewer.scroll = min(viewer.scroll, max(0, len(lines) - room))
            top = Text("\n").join(head)
            top.stylize("reverse")
            whole.update(Text("\n").join([top, Text(), *lines[viewer.scroll : viewer.scroll + room]]))
            viewer.press(read_key())
            if viewer.wants:
                _other_game(viewer, file)


def _other_game(viewer: Viewer, file: Path) -> None:
    """Go to another game of the file, if it exists."""
    number, viewer.wants = viewer.film.number + viewer.wants, 0
    if number < 1:
        return
    with suppress(RecordError):
        viewer.film = _film(file, number)
        viewer.place = viewer.scroll = 0
        if viewer.seat is not None and viewer.seat >= viewer.film.players:
            viewer.seat = None
