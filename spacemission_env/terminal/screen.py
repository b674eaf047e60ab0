"""Prints text for people, in colour on a terminal, and reads their input."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.columns import Columns
from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.text import Text
from rich.theme import Theme

from spacemission_env.core.errors import printable

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
        """Clear a terminal, including its scrollback; do nothing in a pipe."""
        if self.console.is_terminal:
            self.console.clear()
            print(end="\033[3J", flush=True)  # the scrollback

    def ask(self, question: str) -> str | None:
        """The person's answer without surrounding spaces; None at the end of the input."""
        self.console.file.flush()
        try:
            answer = input(question)
        except EOFError:
            self.say()
            return None
        if not sys.stdin.isatty():
            self.say(answer)  # show an answer from a pipe in the output
        return answer.strip()
