"""A person picks a legal move: from a list with numbers that can be narrowed down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from spacemission_env.core.game import Game
from spacemission_env.terminal.screen import Screen

SHOWN = 60  # moves that are listed at once
MANY = 12  # moves that begin alike: more stand there as a number, until they are asked for
QUIT = -1
HELP = """\
NUMBER   make the move of this number
TEXT     list only the moves with this text in them; several words: all of them
Enter    list the moves again
b        the table again
l        all that has happened so far, as you saw it
?        this help
q        stop; what has been played is kept in the record"""


def own_words(game: Game, action: int) -> str:
    """A legal move in words, without the name of who makes it."""
    return game.words(action).removeprefix(f"player_{game.player} ")


def choose(screen: Screen, game: Game, table: Callable[[], None], log: list[str]) -> int:
    """The legal move that the person picks for the player to act, or QUIT.

    Args:
        screen: where to ask.
        game: before the move.
        table: shows the table.
        log: what has happened, as the player saw it.
    """
    legal = game.legal_actions()
    moves = [own_words(game, action) for action in legal]
    wanted = ""
    _list(screen, moves, wanted)
    while True:
        answer = screen.ask(f"player_{game.player}, your move (number, part of a move, ? for help): ")
        if answer is None or answer in ("q", "quit"):
            return QUIT
        if answer == "?":
            screen.say(HELP)
        elif answer == "b":
            table()
        elif answer == "l":
            screen.say("\n".join(log) or "Nothing has happened yet.")
        elif answer.isdecimal() and 1 <= int(answer) <= len(moves):
            return legal[int(answer) - 1]
        elif answer.isdecimal():
            screen.say(f"There is no move {answer}: they go from 1 to {len(moves)}.")
        else:
            wanted = answer
            _list(screen, moves, wanted)


def _list(screen: Screen, moves: list[str], wanted: str) -> None:
    parts = wanted.lower().split()
    fitting = [i for i, words in enumerate(moves) if all(part in words.lower() for part in parts)]
    if not fitting:
        screen.say(f"No move has {wanted!r} in it. Enter lists all, ? tells what can be typed.")
        return
    folded = {} if wanted else _many_alike(moves)
    shown = [i for i in fitting if _first_word(moves[i]) not in folded]
    width = len(str(len(moves)))
    screen.list([f"{i + 1:>{width}}) {moves[i]}" for i in shown[:SHOWN]])
    for word, count in folded.items():
        screen.say(f"{count} more begin with {word!r}: type {word} to see them")
    if len(shown) > SHOWN:
        screen.say(f"and {len(shown) - SHOWN} more: type a part of a move to see only those that have it")


def _many_alike(moves: list[str]) -> dict[str, int]:
    """First words that that too many moves share, and how many share them."""
    groups = Counter(map(_first_word, moves))
    return {word: count for word, count in groups.items() if count > MANY and len(groups) > 1}


def _first_word(words: str) -> str:
    return words.partition(" ")[0]
