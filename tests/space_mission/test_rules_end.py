"""Tests the end of the game, scores, winners and rewards (SM-50 to SM-67)."""

import pytest

from spacemission_env.core.errors import IllegalActionError
from spacemission_env.games.space_mission.engine.constants import REWARD_NAMES, SCORE_NAMES
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from tests.support.positions import FREEZER, HAZARD, RUBY, legal, piece, play, position, tiles, words

PENALTY = Rules(space_tile_penalty=True)
PRINTED_ENDS = {2: 6, 3: 8, 4: 10, 5: 12}


def near_the_end(
    num_players: int, revealed: int, rules: Rules | None = None, start: int = 0, player: int | None = None
) -> Game:
    """A game with `revealed` face-up space tiles; the player to act can reveal two more on Freezer.

    All ships are on Freezer, which is developed and has one point tile left, water.
    """
    first = min(revealed, 7)
    open_piles = {7: first, 6: revealed - first}
    gone = words("mineral_red*4 mineral_purple*4 mineral_green*4 mineral_blue*4 alien_blue*5 alien_brown*4")
    taken = {FREEZER: " ".join(f"0:{gone.pop()}" for _ in range(5))}
    piles = {FREEZER: "water space*2"}
    for p, spaces in open_piles.items():
        if spaces:
            taken[p] = " ".join(f"1:{gone.pop()}" for _ in range(8 - spaces))
            piles[p] = f"space*{spaces}"
    game = position(
        *[""] * num_players,
        stations={p: 0 for p in taken},
        taken=taken,
        piles=piles,
        ships={seat: FREEZER for seat in range(num_players)},
        rules=rules or Rules(),
        start=start,
        player=player,
    )
    assert game.states[0].revealed == revealed
    return game


def reveal(game: Game) -> None:
    """Take the last point tile of Freezer, which turns its two space tiles up."""
    before = int(game.states[0].revealed)
    play(game, "discover", "take water")
    assert game.states[0].revealed == before + 2


def play_turns(game: Game, limit: int = 400) -> list[int]:
    """Top up until the end of the game; returns the seat of each action."""
    acted = []
    while not game.over and len(acted) < limit:
        assert game.player is not None
        acted.append(game.player)
        game.step(0)
    return acted


# ---------------------------------------------------------------- end


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("to_end", [None, 3, 11])
def test_sm_50_the_end_is_triggered_at_the_number_of_revealed_tiles(
    num_players: int, to_end: int | None
) -> None:
    limit = to_end or PRINTED_ENDS[num_players]
    for short, triggers in ((1, False), (0, True), (-1, True)):
        game = near_the_end(num_players, limit - 2 - short, Rules(space_tiles_to_end=to_end))
        assert game.states[0].last_round == 0
        reveal(game)
        assert bool(game.states[0].last_round) == triggers
        assert piece(game, 1, "last_round")[0] == triggers
        play_turns(game, 2 * num_players)
        assert game.over == triggers


def test_sm_50_option_space_tiles_to_end() -> None:
    for num_players, number in PRINTED_ENDS.items():
        assert Game(num_players).rules.space_tiles_to_end == number
        assert Game(num_players, "yucata").rules.space_tiles_to_end == number
        assert Game(num_players, Rules(space_tiles_to_end=5)).rules.space_tiles_to_end == 5


def test_sm_50_tiles_revealed_by_a_scan_count_too() -> None:
    game = position("J1S1", "", ships={0: FREEZER}, piles={FREEZER: "space*8"})
    play(game, "scan J1S1")
    assert game.states[0].last_round == 1
    for first, move in (("scan J1S1", "take water"), ("develop J2L1+J3L2", "take water")):
        game = position(
            "J1S1 J2L1 J3L2",
            "",
            ships={0: FREEZER},
            scanned={0: [FREEZER]},
            taken={FREEZER: "1:medal"},
            piles={FREEZER: "water space*6"},
        )
        play(game, first)
        assert game.states[0].last_round == 0
        play(game, move)
        assert game.states[0].last_round == 1


@pytest.mark.parametrize("num_players", [2, 3, 5])
@pytest.mark.parametrize("start", [0, 1])
def test_sm_51_the_round_is_played_to_the_end(num_players: int, start: int) -> None:
    for place in range(num_players):
        player = (start + place) % num_players
        game = near_the_end(num_players, PRINTED_ENDS[num_players] - 2, start=start, player=player)
        reveal(game)  # with the first of two actions
        assert not game.over
        # The rest of the turn, then the other turns of this round.
        following = [(player + i) % num_players for i in range(1, num_players - place)]
        assert play_turns(game) == [player] + [seat for seat in following for _ in range(2)]
        assert game.over
        assert game.reason == "finished"
        assert game.rounds == 1


def test_sm_51_all_have_had_the_same_number_of_turns() -> None:
    game = near_the_end(3, 6, start=2)
    acted = play_turns(game, 12)  # two full rounds
    reveal(game)
    acted += [2, *play_turns(game)]
    assert {acted.count(seat) for seat in range(3)} == {6}
    assert game.rounds == 3


def test_sm_51_nobody_acts_after_the_end() -> None:
    game = near_the_end(2, 4, player=1)
    reveal(game)
    play_turns(game)
    assert game.over
    assert game.player is None
    assert game.legal_actions() == []
    assert not any(game.mask(seat).any() for seat in range(2))
    assert game.phase == "over"
    with pytest.raises(IllegalActionError, match="over"):
        game.step(0)


def test_sm_52_reserved_tiles_of_undeveloped_planets_go_to_nobody() -> None:
    game = position(
        "J1S1", "", ships={0: FREEZER}, taken={RUBY: "0:medal*6 1:water"}, piles={FREEZER: "space*8"}
    )
    play(game, "scan J1S1")
    play_turns(game)
    assert game.reason == "finished"
    assert [row["total"] for row in game.scores_json()] == [0, 0]
    assert tiles(game, 0) == tiles(game, 1) == []
    assert game.states[0].reserved[:2, RUBY].tolist() == [6, 1]


@pytest.mark.parametrize("max_rounds", [1, 3, 100])
def test_sm_53_truncated_after_the_last_round(max_rounds: int) -> None:
    rules = Rules(max_rounds=max_rounds) if max_rounds < 100 else Rules()  # a hundred by default
    game = position("J1S1", "", "", rules=rules, gate=(2, 1), stations={HAZARD: 2}, start=1)
    acted = play_turns(game, 1000)
    assert acted == [seat for _ in range(max_rounds) for seat in (1, 2, 0) for _ in range(2)]
    assert game.reason == "truncated"
    assert game.rounds == max_rounds
    assert [row["total"] for row in game.scores_json()] == [9, 6, 3]  # scored at its present state


def test_sm_53_an_end_in_the_last_round_is_no_truncation() -> None:
    game = near_the_end(2, 4, Rules(max_rounds=1))
    reveal(game)
    play_turns(game)
    assert game.reason == "finished"


# ---------------------------------------------------------------- scores


@pytest.mark.parametrize(
    ("gate", "points"),
    [
        ((5, 3), (9, 6)),
        ((3, 5), (6, 9)),
        ((4, 4), (9, 9)),
        ((5, 4, 3), (9, 6, 3)),
        ((2, 4, 4), (3, 9, 9)),
        ((5, 2, 2, 1), (9, 6, 6, 1)),
        ((5, 4, 3, 2, 1), (9, 6, 3, 1, 0)),
        ((1, 2, 3, 4, 5), (0, 1, 3, 6, 9)),
        ((8, 5, 5, 5, 1), (9, 6, 6, 6, 0)),  # the rulebook's example
        ((3, 3, 2, 2, 1), (9, 9, 3, 3, 0)),
        ((7, 1, 7, 1, 7), (9, 1, 9, 1, 9)),
        ((9, 8, 7, 2, 2), (9, 6, 3, 1, 1)),
        ((2, 2, 2, 2, 2), (9, 9, 9, 9, 9)),
    ],
)
def test_sm_60_gate_points(gate: tuple[int, ...], points: tuple[int, ...]) -> None:
    for rules in (Rules(), Rules(gate_points_without_probe=True)):
        game = position(*[""] * len(gate), gate=gate, rules=rules)
        assert tuple(row["gate"] for row in game.scores_json()) == points


@pytest.mark.parametrize(
    ("gate", "without_probe", "points"),
    [
        ((5, 0), False, (9, 0)),
        ((0, 0, 0), False, (0, 0, 0)),
        ((4, 0, 2, 0, 2), False, (9, 0, 6, 0, 6)),
        ((5, 0), True, (9, 6)),
        ((0, 0, 0), True, (9, 9, 9)),
        ((4, 0, 2, 0, 2), True, (9, 1, 6, 1, 6)),
        ((4, 3, 2, 1, 0), True, (9, 6, 3, 1, 0)),
    ],
)
def test_sm_61_no_probe_no_gate_points(
    gate: tuple[int, ...], without_probe: bool, points: tuple[int, ...]
) -> None:
    rules = Rules(gate_points_without_probe=without_probe)
    game = position(*[""] * len(gate), gate=gate, rules=rules)
    assert tuple(row["gate"] for row in game.scores_json()) == points


def test_sm_62_each_own_station() -> None:
    game = position("", "", "", stations={0: 1, 3: 1, 5: 0, 7: 1})
    assert [row["stations"] for row in game.scores_json()] == [3, 9, 0]


def holding(text: str, rules: Rules | None = None) -> Game:
    """A game in which seat 0 has collected these tiles on planets of seat 1."""
    held = words(text)
    parts = [held[i : i + 8] for i in range(0, len(held), 8)]
    taken = {p: " ".join(f"0:{name}" for name in part) for p, part in enumerate(parts)}
    game = position("", "", stations={p: 1 for p in taken}, taken=taken, rules=rules or Rules())
    assert sorted(tiles(game, 0)) == sorted(held)
    return game


def points_of(text: str, rules: Rules | None = None) -> dict[str, int]:
    """Seat 0's scores for these tiles, without zeros."""
    scores = holding(text, rules).scores_json()[0]
    assert scores["total"] == sum(scores.values()) - scores["total"]
    return {name: value for name, value in scores.items() if value and name != "total"}


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("mineral_red", 1),
        ("mineral_red*2", 4),
        ("mineral_red*3 mineral_blue*2 mineral_green*2", 21),  # the rulebook's example
        ("mineral_red mineral_purple mineral_green mineral_blue", 4),
        ("mineral_purple*4 mineral_red", 20),
        ("mineral_green*4 mineral_red*4", 32),
        ("mineral_blue*4 mineral_green*3", 28),
        ("mineral_red*4 mineral_purple*4 mineral_green*4 mineral_blue*4", 64),
    ],
)
def test_sm_63_minerals(text: str, points: int) -> None:
    assert points_of(text) == {"minerals": points}


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("alien_brown", 1),
        ("alien_blue", 1),
        ("alien_brown*4 alien_blue*2", 24),  # the rulebook's example
        ("alien_brown*2 alien_blue*4", 24),
        ("alien_brown*3 alien_blue*3", 18),
        ("alien_brown*5 alien_blue*5", 50),
    ],
)
def test_sm_63_aliens(text: str, points: int) -> None:
    assert points_of(text) == {"aliens": points}


def test_sm_63_minerals_and_aliens_of_one_colour_do_not_mix() -> None:
    assert points_of("mineral_blue*2 alien_blue*3") == {"minerals": 4, "aliens": 9}


@pytest.mark.parametrize(
    ("green", "blue", "points"),
    [(1, 0, 2), (0, 1, 2), (1, 1, 7), (3, 0, 6), (2, 1, 9), (1, 4, 13), (4, 4, 28), (2, 4, 18)],
)
def test_sm_64_matter_pairs_and_singles(green: int, blue: int, points: int) -> None:
    text = " ".join(["matter_green"] * green + ["matter_blue"] * blue)
    assert points_of(text) == {"matter": points}


@pytest.mark.parametrize(
    ("count", "points"), [(1, 2), (2, 5), (3, 9), (4, 14), (5, 16), (6, 19), (7, 23), (8, 28)]
)
def test_sm_65_water_and_medals(count: int, points: int) -> None:
    assert points_of(f"water*{count}") == {"water": points}
    assert points_of(f"medal*{min(count, 6)}") == {"medals": 3 * min(count, 6)}


@pytest.mark.parametrize("count", [1, 3])
def test_sm_66_each_space_tile_held_costs_ten(count: int) -> None:
    assert points_of(f"space*{count} medal", PENALTY) == {"space": -10 * count, "medals": 3}
    assert holding(f"space*{count} medal", PENALTY).scores_json()[0]["total"] == 3 - 10 * count


@pytest.mark.parametrize("kind_of_pick", ["scan", "develop", "discover"])
def test_sm_66_space_tiles_can_be_taken_with_the_option_only(kind_of_pick: str) -> None:
    first = {"scan": "scan J1S1", "develop": "develop J2L1+J3L2", "discover": "discover"}[kind_of_pick]
    for rules in (Rules(), Rules(reserved_tiles_visible=True), PENALTY):
        game = position(
            "J1S1 J2L1 J3L2",
            "",
            ships={0: FREEZER},
            stations={FREEZER: 1} if kind_of_pick == "discover" else {},
            scanned={0: [FREEZER]},
            piles={FREEZER: "water*2 space*6"},
            rules=rules,
        )
        play(game, first)
        if not rules.space_tile_penalty:
            assert legal(game) == ["take water"]
            continue
        assert legal(game) == ["take water", "take space"]
        play(game, "take space")
        received = [] if kind_of_pick == "scan" else ["space"]  # kept like other tiles
        assert tiles(game, 0) == received
        assert game.states[0].reserved[0, FREEZER] == (kind_of_pick == "scan")
        assert game.scores_json()[0]["space"] == -10 * len(received)


def test_scores_add_up_to_the_total() -> None:
    text = "mineral_red*3 mineral_blue alien_blue*2 matter_green matter_blue*2 water*5 medal*2 space"
    game = holding(text, PENALTY)
    game.states[0].gate[:2] = (2, 5)
    game.states[0].supply[:2] -= game.states[0].gate[:2]
    assert [list(row.values()) for row in game.scores_json()] == [
        [6, 0, 12, 4, 9, 16, 6, -10, 43],
        [9, 9, 0, 0, 0, 0, 0, 0, 18],
    ]
    assert all(tuple(row) == SCORE_NAMES for row in game.scores_json())


# ---------------------------------------------------------------- winners and rewards


def test_sm_67_the_highest_total_wins_whatever_the_stations() -> None:
    game = position("", "", "", stations={0: 1}, taken={0: "0:medal*2"})
    assert [row["total"] for row in game.scores_json()] == [6, 3, 0]
    assert game.winners() == [0]


def test_sm_67_a_tie_goes_to_the_most_stations() -> None:
    game = position("", "", "", stations={0: 1}, taken={0: "0:medal*2 1:medal 2:medal*2"})
    assert [row["total"] for row in game.scores_json()] == [6, 6, 6]
    assert game.winners() == [1]
    more = position("", "", stations={0: 0, 1: 1, 2: 1}, taken={0: "0:medal"})
    assert [row["total"] for row in more.scores_json()] == [6, 6]
    assert more.winners() == [1]


def test_sm_67_if_still_tied_the_win_is_shared() -> None:
    game = position("", "", "", stations={0: 0, 1: 2}, taken={0: "1:water"})
    assert [row["total"] for row in game.scores_json()] == [3, 2, 3]
    assert game.winners() == [0, 2]
    assert position("", "", "", "").winners() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("win", [[1, -0.5, -0.5], [-0.5, 1, -0.5], [0.5, -1, 0.5], [1 / 3, 1 / 3, 1 / 3]]),
        ("rank", [[1, 0, -1], [-0.5, 1, -0.5], [0.5, -1, 0.5], [0, 0, 0]]),
        ("score_margin", [[0.03, -0.03, -0.06], [0, 0, 0], [0, -0.01, 0], [0, 0, 0]]),
    ],
)
def test_rewards(mode: str, expected: list[list[float]]) -> None:
    games = [
        position("", "", "", stations={0: 1}, taken={0: "0:medal*2"}),  # 6 3 0
        position("", "", "", stations={0: 1}, taken={0: "0:medal*2 1:medal 2:medal*2"}),  # 6 6 6, one station
        position("", "", "", stations={0: 0, 1: 2}, taken={0: "1:water"}),  # 3 2 3
        position("", "", ""),
    ]
    for game, rewards in zip(games, expected, strict=True):
        assert game.rewards(REWARD_NAMES.index(mode)).tolist() == pytest.approx(rewards)
