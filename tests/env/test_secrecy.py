"""Whatever a seat is shown of a game is equal in all games that it cannot tell apart: every game, every view.

Such games are worlds, drawn by `determinize`, and twins, which come from another draw or another seat's other
move. `Knowledge` also compares keys and the worlds that are drawn from them. `leaktest` compares all that
PettingZoo gives (tests/leaktest), `check_agent` the moves of agents.

`python -m tests.env.test_secrecy 2000` compares a tenth as many worlds and twins of every variant and number
of players (`make check-long`).
"""

import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from spacemission_env import belief, make_game
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.games.planet_hexx.components.parse import components_from_data
from spacemission_env.testing.knowledge import Knowledge
from tests.support.pieces import missing_pieces
from tests.support.planet_hexx_decks import words_deck
from tests.support.positions import other_box
from tests.support.text_seats import seat_of

COMPARED = 40
# Rules and components of each game. In other boxes of Space Mission, cards have equal ids.
EVERY_WORD = components_from_data(words_deck(), "every word")
VARIANTS: dict[str, list[tuple[str | None, object]]] = {
    "kuhn_poker": [(None, None)],
    "planet_hexx": [
        ("printed", None),
        ("always_ask=true", EVERY_WORD),
        ("hand_size=9,upload_cost=1,actions_per_turn=5", EVERY_WORD),
    ],
    "space_mission": [
        ("printed", None),
        ("yucata", None),
        ("space_tile_penalty=true,space_tiles_to_end=16,max_rounds=30", None),
        ("hand_size=3,actions_per_turn=3", None),
        ("printed", other_box(1)),
        ("space_tile_penalty=true,actions_per_turn=4,max_rounds=12", other_box(2)),
    ],
}


def prompt(game: Game, seat: int, names: str) -> tuple[str, ...]:
    one = seat_of(game, seat, names)
    return one.rules(), one.prompt(), *one.legal_moves()


def at_the_table(game: Game) -> Game:
    """The game whose observations show only what is on the table now."""
    other = game.clone()
    other.recall = 0
    return other


VIEWS: dict[str, Callable[[Game, int], object]] = {
    "observation": lambda game, seat: game.observe(seat).tobytes(),
    "compact observation": lambda game, seat: game.whole_numbers(seat).tobytes(),
    "table observation": lambda game, seat: at_the_table(game).observe(seat).tobytes(),
    "mask": lambda game, seat: game.mask(seat).tobytes(),
    "decision key": lambda game, seat: game.decision_key() if game.player == seat else None,
    "board": lambda game, seat: game.board(seat),
    "table board": lambda game, seat: at_the_table(game).board(seat),
    "JSON": lambda game, seat: (game.seat_json(seat), game.public_json()),
    "picture": lambda game, seat: [game.picture(seat, legal=True, tall=tall) for tall in (False, True)],
    "prompt": lambda game, seat: prompt(game, seat, "own"),
    "neutral prompt": lambda game, seat: prompt(game, seat, "neutral"),
    "belief": lambda game, seat: [(one.mean.tobytes(), one.any.tobytes()) for one in belief(game, seat, 5)],
}


def games_of(name: str, fewer: int = 0) -> list[Game]:
    """A game of each variant; the first has the most players, or so many `fewer`."""
    spec = find_game(name)
    numbers = range(spec.max_players, spec.min_players - 1, -1)
    return [
        make_game(name, numbers[i % len(numbers)], rules, components)
        for i, (rules, components) in enumerate(VARIANTS[name], fewer)
    ]


def compare(template: Game, least: int, seed: int) -> int:
    """Compare all views with those in worlds and twins; return how many of these there were."""
    knowledge, compared, differ = Knowledge(template, seed, Counter()), 0, 0
    lines, players = knowledge.lines, template.num_players
    while compared < least:
        line = lines.play()
        for k in lines.rng.permutation(np.arange(1, len(line.states)))[:8].tolist():
            assert list(knowledge.look(line, k)) == []
            for seat in range(players):
                game = lines.at(line.states[k])
                if game.over:  # the end reveals all
                    continue
                check_at_the_table(at_the_table(game), seat)
                others = [game.determinize(seat, seed + k)]
                made, same = lines.twin(line, k, seat)
                if same and not lines.at(made[-1]).over:
                    others.append(lines.at(made[-1]))
                for what, view in VIEWS.items():
                    ours = view(game, seat)
                    for other in others:
                        assert view(other, seat) == ours, (what, template, game.seed, k, seat)
                compared += len(others)
                differ += sum(other.open_board() != game.open_board() for other in others)
    assert differ > compared / 10, "the games are the same ones"
    return compared


def check_at_the_table(game: Game, seat: int) -> None:
    """A seat that remembers nothing is shown the same in its worlds, and in worlds drawn from them."""
    world = game.determinize(seat, 5)
    for other in (world, world.determinize(seat, 6)):
        assert missing_pieces(other) is None
        for what in ("observation", "mask", "board"):
            assert VIEWS[what](other, seat) == VIEWS[what](game, seat), (what, game, seat)


@pytest.mark.parametrize("name", game_names())
def test_all_views_are_equal_in_games_that_a_seat_cannot_tell_apart(name: str) -> None:
    for number, game in enumerate(games_of(name)):
        compare(game, COMPARED // 4 if number else COMPARED, 3)


def main(worlds: int) -> None:
    for name in game_names():
        spec = find_game(name)
        for fewer in range(spec.max_players - spec.min_players + 1):
            for game, variant in zip(games_of(name, fewer), VARIANTS[name], strict=True):
                compared = compare(game, worlds // 10, 1000)
                of = f"{name}, {variant[0] or 'default'}, {game.num_players} players"
                print(f"{of}: views equal in {compared:,} worlds and twins", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
