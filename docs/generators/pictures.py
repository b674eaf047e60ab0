"""Makes the picture of a game in the README: `python -m docs.generators.pictures`."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from rich.text import Text

from spacemission_env import Game, make_agent
from spacemission_env.core.agents_api import act_alone
from spacemission_env.games.space_mission.text import board

MOVES = 40


def main() -> None:
    """Play some moves of greedy agents and draw the board as the player to move sees it."""
    game = Game(num_players=3)
    game.reset(seed=5)
    greedy = make_agent("greedy")
    for _ in range(MOVES):
        game.step(int(act_alone(greedy, game.ask())[0]))
    console = Console(record=True, width=104, file=io.StringIO())
    console.print(Text(board(game, int(game.states[0].player))))
    title = f"Space Mission: the board as player_{game.states[0].player} sees it"
    (Path(__file__).parents[1] / "board.svg").write_text(console.export_svg(title=title), encoding="utf-8")


if __name__ == "__main__":
    main()
