"""Tests that text boards and decoded views are complete and reveal nothing hidden."""

import random
from collections.abc import Iterator

from spacemission_env.games.space_mission.components import Components, components_from_data, load_components
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES, RING
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from spacemission_env.games.space_mission.text import WIDTH
from spacemission_env.games.space_mission.view import View, decode
from tests.golden.make_golden import pick
from tests.support.positions import CALDERA, FREEZER, HAZARD, play, position
from tests.support.random_play import VARIANTS, choose


def positions(game: Game, seed: int, every: int) -> Iterator[int]:
    """Some positions of a random game, the last one included."""
    rng = random.Random(seed)
    game.reset(seed=seed)
    decisions = 0
    while not game.over:
        if decisions % every == 0 or (game.phase != "action" and decisions % every == 1):
            yield decisions
        game.step(choose(game, game.legal_actions(), rng))
        decisions += 1
    yield decisions


def test_view_fields_are_the_pieces_of_the_layout() -> None:
    assert set(View.__dataclass_fields__) == set(LAYOUT)


def test_a_tile_taken_by_another_is_not_named() -> None:
    game = Game(2)
    hidden = 0
    for _ in positions(game, 3, 1):
        if game.player is None or game.phase == "action":
            continue
        for action in game.legal_actions():
            tile = KIND_NAMES[action - 90].replace("_", " ")
            assert tile in game.words(action)
            assert tile in game.words(action, game.player)
            words = game.words(action, 1 - game.player)
            assert tile not in words
            assert "a tile" in words
            hidden += 1
    assert hidden > 20


def test_the_text_fits_the_width() -> None:
    for num_players, (_, rules) in zip((2, 3, 4, 5), VARIANTS, strict=False):
        game = Game(num_players, rules, odd_names())
        for _ in positions(game, num_players, 17):
            for text in (game.board(), game.open_board(), game.result_words()):
                assert max(map(len, text.splitlines())) <= WIDTH
                assert text.isprintable() or all(c.isprintable() or c == "\n" for c in text)


def odd_names() -> Components:
    """Components with long names and two cards that look alike."""
    box = load_components()
    data = box.to_json()
    del data["sha256"]
    data["planets"][0]["name"] = "A very long name for so small a planet"
    data["cards"][1] = {**data["cards"][0], "id": "Second " + "x" * 120}
    return components_from_data({**data, "tiles": dict(zip(KIND_NAMES, box.tiles, strict=True))}, "test")


def test_cards_that_look_alike_are_shown_as_either() -> None:
    # The observation has card features only, so the text cannot distinguish these cards.
    components = odd_names()
    game = Game(2, components=components)
    game.reset(seed=0)
    setup = game.setup_json()
    first, second = components.cards[0].id, components.cards[1].id
    pool = setup["draw_pile"] + setup["hands"][0] + setup["hands"][1]
    pool.remove(first)
    pool.remove(second)
    setup["hands"] = [[first, *pool[:4]], [second, *pool[4:8]]]
    setup["draw_pile"] = pool[8:]
    game.reset(seed=0, setup=setup)
    assert game.seat_view(0).hand[0] == game.seat_view(1).hand[0] == f"{first}/{second}"


def test_planets_without_names_are_numbered() -> None:
    game = Game(2)
    game.reset(seed=1)
    view = decode(game.observe(0), game.components, game.rules)
    assert [planet.name for planet in view.planets] == [f"planet {p}" for p in range(RING)]


def test_the_board_without_a_seat_is_that_of_the_seat_to_act() -> None:
    game = Game(3, Rules(max_rounds=3))
    for _ in positions(game, 5, 1):
        assert game.board() == game.board(int(game.states[0].player))


def line_of(text: str, start: str) -> str:
    """The line of a board that begins with these words, with its continuation lines."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(start))
    last = first + 1
    while last < len(lines) and lines[last].startswith(" " * 8):
        last += 1
    return " ".join(line.strip() for line in lines[first:last])


def test_the_board_tells_who_took_what() -> None:
    game = position(
        "J1S1 J1S2",
        "J?S1 J1S3",
        "J?L2",
        ships={0: FREEZER, 1: FREEZER},
        stations={HAZARD: 1},
        taken={HAZARD: "1:water 2:medal"},
        piles={FREEZER: "water*2 medal space*5"},
    )
    assert "0  Freezer        1    1    1+2  01    -     8 tiles -     -" in game.board(0)
    play(game, "scan J1S1", "take medal", "fly Hazard", "scan J?S1", "take water", "fly Hazard")
    seat_0, seat_1, seat_2 = (game.board(seat) for seat in range(3))
    for text in (seat_0, seat_1, seat_2, game.open_board()):
        assert line_of(text, "0  Freezer").endswith("6 tiles 01    01    0x1 1x1")
        assert line_of(text, "1  Hazard").endswith("6 tiles 12    12    1x1 2x1")
    # Seat 0 saw two water left, and seat 1 had nothing else to take.
    assert "took, as far as you know: player_1 1 water" in seat_0
    assert "took, as far as you know" not in seat_1 + seat_2 + game.open_board()
    assert "took" not in board_of_mode(game, "table")
    assert "1x1 2x1" not in board_of_mode(game, "table")  # of a developed planet: memory


def board_of_mode(game: Game, mode: str) -> str:
    other = Game(game.num_players, game.rules, observation=mode)
    other.states[:] = game.states
    return other.board(0)


def test_the_board_tells_what_is_likely() -> None:
    game = position(
        "J1S1",
        "J?S1",
        "",
        ships={0: FREEZER, 1: FREEZER},
        piles={FREEZER: "water*2 medal alien_blue space*4"},
    )
    play(game, "scan J1S1", "take alien_blue", "fly Hazard", "scan J?S1", "take medal")
    assert "took, as far as you know: player_1 1: 0.67 water, 0.33 medal" in game.board(0)


def test_the_board_tells_what_others_hold_since_a_shuffle() -> None:
    game = position("J1S1", "J1L1 J1L2", "S1L1", draw="J2S1 J2S2 J2S3 J2S4", rest="discard")
    assert "since a shuffle" not in game.board(0)
    play(game, "top_up")  # the fourth card is the last
    assert game.states[0].shuffles == 1
    held = "Held by others since a shuffle: player_1 2, player_2 1 of J1L1, J1L2, S1L1"
    assert line_of(game.board(0), "Held").startswith(held)
    assert line_of(game.board(2), "Held").startswith(
        "Held by others since a shuffle: player_0 5, player_1 2 of"
    )
    assert "since a shuffle" not in board_of_mode(game, "table")
    assert "since a shuffle" not in game.open_board()
    certain = position("J1S1", "J1L1 J1L2", "", draw="J2S1 J2S2 J2S3 J2S4", rest="discard")
    play(certain, "top_up")
    assert line_of(certain.board(0), "Held") == "Held by others since a shuffle: player_1 J1L1, J1L2"


def test_the_board_tells_the_last_actions() -> None:
    game = position("J1S1 J2S2", "J1L1", "", ships={0: CALDERA, 1: HAZARD})
    assert "Last actions" not in game.board()
    play(game, "fly Hazard", "jump Freezer J1S1", "top_up J1L1", "fly Freezer", "top_up")
    text = game.board(1)
    said = "player_0 jump from 1, fly; player_1 fly from 1, top up 1; player_2 top up 0"
    assert f"Last actions, latest first: {said}" in " ".join(text.split())
    assert "Last actions" not in board_of_mode(game, "table")
    other = Game(3, "yucata", observation="table")  # the online game shows them
    other.states[:] = game.states
    assert "jump from 1, fly" in other.board(1)
    gate = position("J1S1", "")
    play(gate, "jump Freezer J1S1")
    assert "jump from gate" in gate.board()


def test_a_board_in_full() -> None:
    game = Game(2)
    game.reset(seed=22)
    for _ in range(63):
        game.step(pick(game))
    assert game.board() == BOARD


BOARD = """\
Round 12 of at most 100; player_1 began.
Turn: player_0, to take a tile, 0 actions left.
Space tiles face up: 0; 6 end the game.

   planet         jump scan land ships owner pile    scans looks tiles taken
0  Tidefall       2    3    2+3  1     -     6 tiles 1     1     1x2
1  Duskmere       3    4    3+4  -     -     8 tiles -     -
2  Freezer        1    1    1+2  0     1     3 tiles 01    01    0x3 1x2
     your discover this round left: 1 mineral red, 2 matter green
     took, as far as you know: player_1 2 alien brown
3  Hazard         1    2    3+4  -     -     8 tiles -     -
4  Ruby Red       3    3    1+2  -     -     8 tiles -     -
5  Ironvale       2    4    2+4  -     -     7 tiles 0     0     0x1
     your scan 7 rounds ago left: 1 mineral red, 1 alien blue, 2 matter blue, 1
        water, 2 space
     you reserved: 1 mineral blue
6  Mirador        4    4    1+3  -     -     5 tiles 01    01    0x1 1x2
     your scan 4 rounds ago left, 1 gone since: 1 alien brown, 1 matter green, 1
        water, 1 medal, 2 space
     you reserved: 1 matter blue
7  Verdance       4    2    2+3  -     0     4 tiles 0     0     0x4
     your discover 1 round ago left: 1 alien brown, 2 water, 1 medal

   player          ship           chips  on gate  hand  tiles  stations
>  player_0 (you)  Freezer           14        3     2      7         1
   player_1        Tidefall          12        3     5      2         1
Last actions, latest first: player_0 discover, jump; player_1 top up 1, top up 2

Draw pile: 51 cards
Discard pile: 2 cards: J1S3, J2S2

Your hand: [0] S2L1  [1] S?L1
Your tiles: 1 mineral red, 1 mineral purple, 1 mineral blue, 1 alien blue, 1
        matter blue, 1 water, 1 medal
Held by others since a shuffle: player_1 J4S4, J1L?, J2L4, J?L4
You look through the pile: 1 mineral red, 2 matter green
"""
