"""Writes to people (colours on a terminal, plain text in a pipe) and asks them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.columns import Columns
from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.text import Text
from rich.theme import Theme

from spacemission_env.core.errors import printable

# People who see no difference between red and green tell these apart (after Okabe and Ito).
SEAT_COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#d55e00")
THEME = Theme(
    {f"table.seat{seat}": f"bold {colour}" for seat, colour in enumerate(SEAT_COLOURS)}
    | {"table.own": "bold", "table.coming": "bold", "table.number": "bold", "table.said": "italic"}
)
FEW = 12  # moves that stand below each other even where there is room beside


class _Table(RegexHighlighter):
    """Colours boards and moves: players by seat, and what belongs to the reader."""

    base_style = "table."
    highlights = [
        *(rf"(?P<seat{seat}>\bplayer_{seat}\b)" for seat in range(len(SEAT_COLOURS))),
        r"(?P<own>^Your [\w ]+:|\(you\))",
        r"(?P<coming>^>)",
        r"(?P<number>^ *\d+\) )",
    ]


class Screen:
    """Where a game is shown."""

    def __init__(self) -> None:
        """On standard output, as it is now."""
        self.console = Console(theme=THEME, highlight=False, emoji=False, markup=False)
        self._colours = _Table()

    @property
    def alive(self) -> bool:
        """Whether a person sits before it: a terminal for what is written and for what is read."""
        return self.console.is_terminal and sys.stdin.isatty()

    def text(self, words: str) -> Text:
        """Words in their colours, line by line; nothing in them is a command to the terminal."""
        lines = [Text(printable(line)) for line in words.split("\n")]
        for line in lines:
            self._colours.highlight(line)
        return Text("\n").join(lines)

    def say(self, words: str = "") -> None:
        """One or more lines; long ones are left to the terminal."""
        self.console.print(self.text(words), soft_wrap=True)

    def page(self, head: Iterable[Text], lines: Iterable[Text]) -> Text:
        """Lines that fill the screen, below a head that stands out."""
        top = Text("\n").join(head)
        top.stylize("reverse")
        return Text("\n").join([top, Text(), *lines])

    def list(self, items: Sequence[str]) -> None:
        """Short texts below each other, or in columns where a terminal has the room and they are many."""
        if not self.console.is_terminal or len(items) <= FEW:
            self.say("\n".join(items))
            return
        texts = [self.text(item) for item in items]
        self.console.print(Columns(texts, padding=(0, 3), column_first=True))

    def clear(self) -> None:
        """Nothing of what was shown stays to be read; in a pipe nothing happens."""
        if self.console.is_terminal:
            self.console.clear()
            print(end="\033[3J", flush=True)  # what has gone over the upper edge too

    def ask(self, question: str) -> str | None:
        """What the person answers, without spaces around it; None at the end of the input."""
        self.console.file.flush()
        try:
            answer = input(question)
        except EOFError:
            self.say()
            return None
        if not sys.stdin.isatty():
            self.say(answer)  # so that what came through a pipe stands in what is written
        return answer.strip()
