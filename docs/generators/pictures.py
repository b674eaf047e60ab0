"""Makes the pictures of games in README and pages: `python -m docs.generators.pictures --write`.

The animation shows `recorded_game.jsonl`, a game of two bots:
`spacemission play --agents heuristic,heuristic --seed 1 --record docs/generators/recorded_game.jsonl`.

Without `--write` the command prints which pictures are out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from spacemission_env import make_agent, replay_file
from spacemission_env.core.agents import act_alone
from spacemission_env.core.game import Game, make_game
from spacemission_env.pictures.moving import moving

DOCS = Path(__file__).parents[1]
RECORD = Path(__file__).with_name("recorded_game.jsonl")
# Game, players, seed, decisions of greedy agents; drawn from the view of the seat to act.
POSITIONS = {
    "board": ("space_mission", 3, 5, 52),
    "planet_hexx": ("planet_hexx", 3, 31, 150),
}


def position(game: str, players: int, seed: int, decisions: int) -> Game:
    """A game of greedy agents after so many decisions."""
    played: Game = make_game(game, players)
    played.reset(seed)
    greedy = make_agent("greedy", game)
    for _ in range(decisions):
        played.step(int(act_alone(greedy, played.ask())[0]))
    return played


def recorded(seat: int = 0) -> list[str]:
    """The recorded game from a seat's view: before each move, and at the end."""
    drawn = []
    for replayed in replay_file(RECORD):
        drawn += [replayed.game.picture(seat, theme="page") for _ in replayed]
        drawn.append(replayed.game.picture(seat, theme="page"))
    return drawn


def pictures() -> dict[str, str]:
    """All pictures by file name."""
    drawn = {"game.svg": moving(recorded(), "A game of Space Mission, two bots, as player_0 saw it")}
    for name, at in POSITIONS.items():
        game = position(*at)
        drawn[f"{name}.svg"] = game.picture()
        drawn[f"{name}_dark.svg"] = game.picture(theme="dark")
    return drawn


def main(write: bool) -> int:
    """The number of pictures that are out of date; `write`: write these."""
    old = 0
    for name, svg in pictures().items():
        file = DOCS / name
        if file.exists() and file.read_text("utf-8") == svg:
            continue
        if write:
            file.write_text(svg, encoding="utf-8", newline="\n")
            continue
        print(f"docs/{name}: is not as it would be made; run `make docs`")
        old += 1
    return old


if __name__ == "__main__":
    sys.exit(1 if main("--write" in sys.argv[1:]) else 0)
