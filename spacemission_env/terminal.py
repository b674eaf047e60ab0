"""Plays a game between agents and people at one terminal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

from rich.columns import Columns
from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.text import Text
from rich.theme import Theme

from spacemission_env.core.agents import Agent
from spacemission_env.core.errors import AgentError, IllegalActionError, printable
from spacemission_env.core.game import Game
from spacemission_env.records.writer import GameRecord, RecordWriter

# Colours that colour-blind people can distinguish (Okabe and Ito).
SEAT_COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#d55e00")
THEME = Theme(
    {f"table.seat{seat}": f"bold {colour}" for seat, colour in enumerate(SEAT_COLOURS)}
    | {"table.own": "bold", "table.coming": "bold", "table.number": "bold", "table.said": "italic"}
)
FEW = 12  # maximum number of texts that are listed one per line


class _Highlighter(RegexHighlighter):
    base_style = "table."
    highlights = [
        *(rf"(?P<seat{seat}>\bplayer_{seat}\b)" for seat in range(len(SEAT_COLOURS))),
        r"(?P<own>^Your [\w ]+:|\(you\))",
        r"(?P<coming>^>)",
        r"(?P<number>^ *\d+\) )",
    ]


class Screen:
    """Standard output, coloured if it is a terminal."""

    def __init__(self) -> None:
        self.console = Console(theme=THEME, highlight=False, emoji=False, markup=False)
        self._highlighter = _Highlighter()

    @property
    def alive(self) -> bool:
        """Whether both output and input are a terminal."""
        return self.console.is_terminal and sys.stdin.isatty()

    def text(self, words: str) -> Text:
        """Colour some lines; control characters are escaped."""
        lines = [Text(printable(line)) for line in words.split("\n")]
        for line in lines:
            self._highlighter.highlight(line)
        return Text("\n").join(lines)

    def say(self, words: str = "") -> None:
        """Print one or more lines; the terminal wraps long ones."""
        self.console.print(self.text(words), soft_wrap=True)

    def list(self, items: Sequence[str]) -> None:
        """Print short texts one per line, or many of them in columns on a terminal."""
        if not self.console.is_terminal or len(items) <= FEW:
            self.say("\n".join(items))
        else:
            texts = [self.text(item) for item in items]
            self.console.print(Columns(texts, padding=(0, 3), column_first=True))

    def clear(self) -> None:
        """Clear the terminal and its scrollback; do nothing if the output is a pipe."""
        if self.console.is_terminal:
            self.console.clear()
            print(end="\033[3J", flush=True)  # the scrollback

    def ask(self, question: str) -> str | None:
        """Ask the person; return the answer without surrounding spaces, or None at the end of the input."""
        self.console.file.flush()
        try:
            answer = input(question)
        except EOFError:
            self.say()
            return None
        if not sys.stdin.isatty():
            self.say(answer)  # show an answer from a pipe in the output
        return answer.strip()


SHUFFLED = "the discard pile is shuffled and becomes the draw pile"
MOST_LISTED = 60  # maximum number of moves listed at once
MANY = 12  # if more moves than this begin with the same word, only their number is shown
QUIT = -1
HELP = """\
NUMBER   make the move of this number
MOVE     make the move that records call so, such as "jump Hazard J1S2"
TEXT     list only the moves with this text in them; several words: all of them
Enter    list the moves again
b        the table again
l        all that has happened so far, as you saw it
?        this help
q        stop; what has been played is kept in the record"""


class Table:
    """One game; each person at the terminal sees only what that person's seat may know."""

    def __init__(
        self, game: Game, names: Sequence[str], agents: Sequence[Agent | None], screen: Screen
    ) -> None:
        """`game` is just reset; `names` and `agents` are lists by seat; the agent of a person is None."""
        self.game, self.names, self.agents, self._screen = game, list(names), list(agents), screen
        self._record = GameRecord(game, self.names)
        self._people = [seat for seat, agent in enumerate(self.agents) if agent is None]
        self._logs: list[list[str]] = [[] for _ in self.agents]  # moves by seat, as it saw them
        self._read = [0] * len(self.agents)  # number of lines of the log that the person has read
        self._last: int | None = None  # seat of the person who was asked last

    def play(self, writer: RecordWriter) -> bool:
        """Play until the end or until a person quits; write the record; return whether the game is over.

        Raises:
            AgentError: an agent failed or made an illegal move.
        """
        try:
            while not self.game.over:
                action = self._decide()
                if action == QUIT:
                    return False
                self._make(action)
            self._record.finish()
            self._end()
            return True
        finally:
            writer.add(self._record)

    def _decide(self) -> int:
        seat = int(self.game.states[0].player)
        agent = self.agents[seat]
        if agent is not None:
            action = agent.play(self.game)
            why = self.game.why_illegal(action)
            if why:
                raise AgentError(f"agent {self.names[seat]!r}: {why}")
            return action
        return self._ask(seat)

    def _ask(self, seat: int) -> int:
        if seat != self._last and len(self._people) > 1 and not self._hand_over(seat):
            return QUIT
        self._last = seat

        def table() -> None:
            self._screen.say()
            self._screen.say(self.game.board(seat))

        self._print_news(seat)
        table()
        return choose(self._screen, self.game, table, self._logs[seat])

    def _hand_over(self, seat: int) -> bool:
        """Clear the screen and wait for the next person; False to quit."""
        if self._last is not None:
            self._screen.clear()
        answer = self._screen.ask(
            f"player_{seat} ({self.names[seat]}) is next: press Enter when you are there "
        )
        return answer is not None and answer not in ("q", "quit")

    def _print_news(self, seat: int) -> None:
        news = self._logs[seat][self._read[seat] :]
        self._read[seat] = len(self._logs[seat])
        if news:
            self._screen.say("\n" + "\n".join(news))

    def _make(self, action: int) -> None:
        game, shuffles = self.game, self.game.shuffles
        seen = [f"round {game.rounds}: {game.words(action, seat)}" for seat in range(len(self._logs))]
        self._record.before(action)
        game.step(action)
        for log, line in zip(self._logs, seen, strict=True):
            log.append(line)
        if game.shuffles > shuffles:
            for log in self._logs:
                log.append(SHUFFLED)

    def _end(self) -> None:
        if len(self._people) == 1:
            self._print_news(self._people[0])
            self._screen.say()
            self._screen.say(self.game.board(self._people[0]))
        over = f"The game is {self.game.reason} after {self.game.rounds} rounds."
        self._screen.say(f"\n{over}\n\n{self.game.result_words(self.names)}")


def choose(screen: Screen, game: Game, table: Callable[[], None], log: list[str]) -> int:
    """Ask for a legal move; return QUIT to stop. `table` prints the table, `log` has the moves so far."""
    legal = game.legal_actions()
    moves = [game.words(action).removeprefix(f"player_{game.player} ") for action in legal]
    _list(screen, moves, "")
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
            with suppress(IllegalActionError):
                return game.parse_move(answer)
            _list(screen, moves, answer)


def _list(screen: Screen, moves: list[str], wanted: str) -> None:
    parts = wanted.lower().split()
    fitting = [i for i, words in enumerate(moves) if all(part in words.lower() for part in parts)]
    if not fitting:
        screen.say(f"No move has {wanted!r} in it. Enter lists all, ? tells what can be typed.")
        return
    first_words = [words.partition(" ")[0] for words in moves]
    groups = Counter(first_words)
    folded = [] if wanted or len(groups) == 1 else [word for word in groups if groups[word] > MANY]
    listed = [i for i in fitting if first_words[i] not in folded]
    width = len(str(len(moves)))
    screen.list([f"{i + 1:>{width}}) {moves[i]}" for i in listed[:MOST_LISTED]])
    for word in folded:
        screen.say(f"{groups[word]} more begin with {word!r}: type {word} to see them")
    if len(listed) > MOST_LISTED:
        rest = len(listed) - MOST_LISTED
        screen.say(f"and {rest} more: type a part of a move to see only those that have it")
