"""Tables fit the terminal at every width and show every cell."""

import os
import pty
import struct
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from spacemission_env.commands.shared import print_table

SCORES = ["gate", "stations", "minerals", "aliens", "matter", "water", "medals", "space", "total"]
COLUMNS = ["seat", "agent", "win share", "95 % interval", *SCORES]
LONG = "policy:runs/a_long_name/of_a_run/model?sample"
ROWS = [
    ["0", LONG, "98.40 %", "95.05 – 99.80 %", *(f"{i}12.5" for i in range(1, 9)), "1,234.5"],
    ["1", "greedy", "1.60 %", "0.20 – 4.95 %", *(f"-{i}.5" for i in range(1, 9)), "−3.0"],
]


@pytest.mark.parametrize("width", [40, 80, 100, 120, 200])
def test_every_cell_is_there_at_every_width(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, ROWS, left=2, width=width)
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in shown
    assert all(name in shown for name in COLUMNS)
    assert all(shown.count(cell) == 1 for row in ROWS for cell in row[2:])
    # each block of numbers repeats the text
    parts = sum(set(line.strip()) == {"─"} for line in lines)
    assert "".join(shown.split()).count("greedy") == parts
    assert (parts == 1) == (width >= 200)
    # each block has as many columns as fit, in order
    heads = [line for line in lines if line.startswith("seat")]
    shares = [[name.strip() for name in head.split("   ") if name.strip()] for head in heads]
    assert [name for names in shares for name in names if name not in ("seat", "agent")] == COLUMNS[2:]
    for head, after in pairwise(zip(heads, shares, strict=True)):
        first = next(name for name in after[1] if name not in ("seat", "agent"))
        i = COLUMNS.index(first)
        widest = max(len(first), *(len(row[i]) for row in ROWS))
        assert len(head[0].rstrip()) + 3 + widest > width


def test_a_table_of_text_alone_is_folded(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["agent", "about"], [["random", "word " * 40]], left=2, width=50)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 50
    assert shown.split().count("word") == 40
    print_table(["name", "n"], [["x", "9" * 30]], width=20)  # a number is never wrapped
    assert "9" * 30 in capsys.readouterr().out


@pytest.mark.parametrize("columns", ["", "0", "20"])
def test_in_a_pipe_each_row_is_one_line_with_whole_names(columns: str) -> None:
    code = f"from spacemission_env.commands.shared import print_table as p; p({COLUMNS!r}, {ROWS!r}, left=2)"
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    shown = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
        env=environment | {"COLUMNS": columns},
    ).stdout.splitlines()  # fmt: skip
    assert len(shown) == 2 + len(ROWS)
    for row, line in zip(ROWS, shown[2:], strict=True):
        assert all(cell in line for cell in row)


@pytest.mark.parametrize(("width", "columns"), [(80, None), (120, None), (100, "0")])
def test_on_a_terminal(width: int, columns: str | None, tmp_path: Path) -> None:
    """Use a real terminal of this width; COLUMNS=0 hides no table."""
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    command = ["play", "--agents", "random,long_label_of_an_agent=random", "--rules", "printed,max_rounds=3"]
    process = subprocess.Popen(
        [sys.executable, "-m", "spacemission_env", *command],
        stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL,
        env=environment | {"TERM": "dumb"} | ({} if columns is None else {"COLUMNS": columns}),
    )  # fmt: skip
    os.close(theirs)
    data = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        data += part
    assert process.wait(300) == 0
    shown = data.decode().replace("\r\n", "\n")
    table = shown[shown.index("seat") :]
    assert max(map(len, table.splitlines())) <= width
    assert "…" not in shown
    assert all(name in table for name in COLUMNS)
    assert "long_label_of_an_agent" in table
