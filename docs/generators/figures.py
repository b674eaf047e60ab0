"""Updates the figures in the pages from the commands beside them.

`python -m docs.generators.figures --write` writes the figures; `make docs` calls it. In a page, a figure is
between two HTML comments: `<!--=name-->46 %<!--/-->`. The commands play from fixed seeds, so the same version
gives the same figures. Without `--write` the command prints the figures that differ; its exit status is 1 if
there are any. tests/docs/test_docs.py checks the quick figures, `make check-long` checks all.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacemission_agents.report.text import interval, percent

DOCS = Path(__file__).parents[1]
FIGURE = re.compile(r"<!--=([\w.]+)-->(.*?)<!--/-->", re.DOTALL)
BOT = "my_bot:MyBot"
LOOP = "        for first, after in ("  # in the bot that `new-bot` writes; the page adds lines before it


def spacemission(folder: Path, *arguments: str) -> Any:
    """Run a command in a folder as a user would; its output, parsed if it is JSON."""
    command = [sys.executable, "-m", "spacemission_env", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout) if "--json" in arguments else done.stdout


def whole(share: float) -> str:
    """A share as a whole percentage."""
    return f"{share:.0%}".replace("%", " %")


def new_bot(folder: Path) -> Path:
    """Write a bot by `new-bot`; its file."""
    spacemission(folder, "new-bot", "my_bot")
    return folder / "my_bot.py"


def bot_quick(folder: Path) -> dict[str, str]:
    """Figures of `play` and `probe` in docs/your_own_bot.md."""
    bot = new_bot(folder)
    mine, other = spacemission(folder, "play", "--agents", f"{BOT},greedy", "--games", "100", "--json")[
        "seats"
    ]
    figures = {
        "play.wins": whole(mine["win_share"]),
        "play.points": f"{mine['scores']['total']:.1f}",
        "play.greedy": f"{other['scores']['total']:.1f}",
    }
    for name in ("random", "greedy"):
        figures[f"probe.{name}"] = whole(spacemission(folder, "probe", name, "--json")["score"])
    for name, added in (("bot", ""), ("mended", snippet())):
        bot.write_text(bot.read_text("utf-8").replace(LOOP, added + LOOP, 1), "utf-8")
        told = spacemission(folder, "probe", BOT, "--json")
        figures[f"probe.{name}"] = whole(told["score"])
        themes = {one["theme"]: one["score"] for one in told["themes"]}
        figures[f"probe.{name}.gate"] = whole(themes["gate"])
    return figures


def snippet() -> str:
    """The lines that the page tells the reader to add to `choose`."""
    page = (DOCS / "your_own_bot.md").read_text("utf-8")
    return next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "SM-52" in block)


def bot_arena(folder: Path) -> dict[str, str]:
    """Figures of `arena` in docs/your_own_bot.md."""
    new_bot(folder)
    agents = f"{BOT},heuristic,greedy,random"
    told = spacemission(
        folder, "arena", "--agents", agents, "--games", "1000", "--out", "my_report", "--json"
    )
    figures = {}
    for row, rated in zip(told["ladder"], told["ratings"], strict=True):
        name = row["agent"].partition(":")[0]
        figures[f"arena.{name}"] = f"{percent(row['win_share'])} | {interval(row)} | {rated['rating']:,.0f}"
    for pair in told["pairs"]:
        if pair["agent"] == BOT:
            figures[f"against.{pair['other']}"] = f"{100 * pair['share']:.1f} %"
    return figures


HEXX, POLICY = ("--game", "planet_hexx"), "policy:default"


def hexx_probes(folder: Path) -> dict[str, str]:
    """Figures of `probe` in docs/leaderboard.md."""
    figures = {}
    for agent in (POLICY, "heuristic", "greedy", "ismcts:50", "random"):
        told = spacemission(folder, "probe", agent, *HEXX, "--json")
        figures[f"probe.{agent.partition(':')[0]}"] = whole(told["score"])
    return {**figures, "probes": in_words(told["probes"])}


def in_words(count: int) -> str:
    """A number; up to ten as a word."""
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return words[count] if count < len(words) else str(count)


def hexx_arena(folder: Path) -> dict[str, str]:
    """Figures of `arena` in docs/leaderboard.md."""
    figures = {}
    for other, games in (("heuristic", 4000), ("greedy", 1000)):
        told = hexx_duel(folder, other, 2, games)
        figures[f"duel.{other}"] = with_interval(told["pairs"][0])
    for players in (3, 4):
        told = hexx_duel(folder, "heuristic", players, 1000)
        alone = next(row for row in told["tables"] if row["agent"] == POLICY and row["seats"] == 1)
        figures[f"alone.{players}"] = with_interval(alone)
    return figures


def hexx_duel(folder: Path, other: str, players: int, games: int) -> Any:
    """A tournament of the default policy against another agent."""
    seats = ("--agents", f"{POLICY},{other}", "--players", str(players))
    out = f"{other}{players}"
    return spacemission(
        folder, "arena", *HEXX, *seats, "--games", str(games), "--seed", "2026", "--out", out, "--json"
    )


def with_interval(row: Any) -> str:
    """A share and its interval."""
    return f"{percent(row['share'])} ({interval(row)})"


# The functions that give each page's figures; the first function of a page takes some seconds.
PAGES: dict[str, list[Callable[[Path], dict[str, str]]]] = {
    "your_own_bot.md": [bot_quick, bot_arena],
    "leaderboard.md": [hexx_probes, hexx_arena],
}


def measured(sources: list[Callable[[Path], dict[str, str]]]) -> dict[str, str]:
    """Figures by name; each source runs in its own folder."""
    figures: dict[str, str] = {}
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            figures |= source(Path(folder))
    return figures


def written(page: str) -> dict[str, str]:
    """The figures in a page by name."""
    return dict(FIGURE.findall((DOCS / page).read_text("utf-8")))


def marked(name: str, figure: str) -> str:
    """A figure between its comments."""
    return f"<!--={name}-->{figure}<!--/-->"


def main(write: bool) -> int:
    """Compare or write; 1 if a page differs and is not written."""
    differ = 0
    for page, sources in PAGES.items():
        now, was = measured(sources), written(page)
        for name, figure in was.items():
            if now[name] != figure:
                differ += 1
                print(f"{page}: {name}: {figure!r} is {now[name]!r} now")
        if write:
            file = DOCS / page
            text = file.read_text("utf-8")
            for name, figure in was.items():
                text = text.replace(marked(name, figure), marked(name, now[name]))
            file.write_text(text, "utf-8")
    return int(differ > 0 and not write)


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv))
