"""Runs the leak test over OpenSpiel's imperfect-information games and PettingZoo's classic games.

`python -m studies.leaktest_survey FOLDER [PART]` prints a row of a table for each game whose name has
PART; FOLDER gets the reports. Each game has its own process, as some of OpenSpiel's errors end the process.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CLASSIC = (
    "chess_v6", "connect_four_v3", "go_v5", "hanabi_v5", "leduc_holdem_v4", "rps_v2",
    "texas_holdem_no_limit_v6", "texas_holdem_v4", "tictactoe_v3",
)  # fmt: skip
LONGEST = 600  # seconds for a game that does not end by itself
ONE = "import sys; from spacemission_env.leaktest import check; print(check(sys.argv[1]).text())"


def targets() -> list[str]:
    """All games that the leak test accepts."""
    import pyspiel

    kind = pyspiel.GameType
    games = [
        f"openspiel:{game.short_name}"
        for game in pyspiel.registered_games()
        if game.default_loadable
        and game.dynamics == kind.Dynamics.SEQUENTIAL
        and game.information == kind.Information.IMPERFECT_INFORMATION
        and game.chance_mode != kind.ChanceMode.SAMPLED_STOCHASTIC
    ]
    return [*games, *(f"pettingzoo:{name}" for name in CLASSIC)]


def main(folder: Path, part: str) -> None:
    """Test one game after the other, of those whose name has `part`."""
    folder.mkdir(parents=True, exist_ok=True)
    print("| game | what was tried | findings |\n| --- | --- | --- |")
    for target in (target for target in targets() if part in target):
        command = [sys.executable, "-c", ONE, target]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
            text, error = done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            text, error = "", "no end in time"
        (folder / f"{target.replace(':', '_')}.txt").write_text(text + error)
        tried = text.partition("\n")[0].partition(": ")[2] or error.strip().rpartition("\n")[2]
        found = [line[6:].partition(": ")[0] for line in text.split("\n") if line.startswith("FOUND ")]
        print(f"| `{target}` | {tried} | {', '.join(found) or 'none'} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), "".join(sys.argv[2:]))
