"""Runs `spacemission replay`: shows or checks game records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacemission_env.commands.shared import Json, Seed, emit_json
from spacemission_env.core.errors import RecordError
from spacemission_env.core.heartbeat import progress

if TYPE_CHECKING:  # loading the compiled rules is slow
    from spacemission_env.records.reader import ReplayedGame

RecordFile = Annotated[Path, typer.Argument(metavar="F", help="Record file (JSON Lines).")]


def replay(
    file: RecordFile,
    check: Annotated[bool, typer.Option("--check", help="Check every line and show no game.")] = False,
    number: Annotated[
        int | None, typer.Option("--number", min=1, help="Only the file's game of this number, from 1.")
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option("--seat", min=0, help="Show what this seat knew; default: all hands open."),
    ] = None,
    moves: Annotated[bool, typer.Option("--moves", help="Print one line per move and no boards.")] = False,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Show or check game records.

    Every line is checked against the rules. An incomplete record is replayed up to its end. --seed has no
    effect.
    """
    if moves and (check or as_json):
        raise RecordError(f"--moves: not with {'--check' if check else '--json'}")
    if check:
        _check(file, number, as_json)
    else:
        _show(file, number, seat, moves, as_json)


def _check(file: Path, only: int | None, as_json: bool) -> None:
    from spacemission_env.records.reader import replay_file

    games = actions = 0
    cuts: list[dict[str, object]] = []
    records = replay_file(file, only)
    with progress("checking", records.size) as done:
        before = 0
        for replayed in records:
            replayed.finish()
            games += 1
            actions += replayed.actions
            if replayed.cut:
                cuts.append({"number": replayed.number, "cut": replayed.cut})
            done(records.offset - before)
            before = records.offset
    if as_json:
        counts = {"file": str(file), "games": games, "actions": actions}
        emit_json(counts | {"holds": True, "cut": cuts, "note": records.note})
        return
    print(f"{games} game{'s' * (games != 1)}, {actions} action{'s' * (actions != 1)}: all hold")
    for cut in cuts:
        print(f"game {cut['number']}: {cut['cut']}")
    if records.note:
        print(records.note)


def _show(file: Path, only: int | None, seat: int | None, moves: bool, as_json: bool) -> None:
    from spacemission_env.records.reader import replay_file

    records = replay_file(file, only)
    for replayed in records:
        if seat is not None and seat >= replayed.game.num_players:
            raise RecordError(
                f"{file}: line {replayed.line}: game {replayed.number} has no seat {seat}, "
                f"only 0 to {replayed.game.num_players - 1}"
            )
        if as_json:
            _show_json(replayed, seat)
        else:
            _show_text(replayed, seat, boards=not moves)
    if records.note and not as_json:
        print(records.note)


def _show_text(replayed: ReplayedGame, seat: int | None, boards: bool) -> None:
    game = replayed.game

    def table() -> None:
        print(game.open_board() if seat is None else game.board(seat))

    names = ", ".join(f"player_{j} {name}" for j, name in enumerate(replayed.agents))
    print(f"=== Game {replayed.number}: seed {game.seed}; {names}" + "\n" * boards)
    last_round = shuffles = 0

    def print_shuffle() -> None:
        nonlocal shuffles
        if game.shuffles > shuffles:
            shuffles += 1
            print("    the discard pile is shuffled and becomes the draw pile")

    for decision in replayed:
        print_shuffle()
        if boards and game.rounds > last_round:
            last_round = game.rounds
            print(end="" if last_round == 1 else "\n")
            table()
        start = "  " if boards else f"{game.rounds:3}  "
        print(start + game.words(decision.action, seat))
    print_shuffle()
    if boards:
        print()
        table()
    if replayed.cut:
        print(f"{replayed.cut}\n")
    else:
        print(f"{game.reason} after {game.rounds} rounds\n\n{game.result_words(replayed.agents)}")


def _show_json(replayed: ReplayedGame, seat: int | None) -> None:
    for decision in replayed:
        move = replayed.game.move_seen(decision.action, seat)
        at = {"number": replayed.number, "round": replayed.game.rounds, "player": decision.player}
        emit_json(at | {"move": move})
    names = ("number", "agents", "actions", "cut", "result")
    emit_json({name: getattr(replayed, name) for name in names})
