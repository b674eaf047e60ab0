"""Tests what `heuristic` reads and does, its weights and its strength."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.schedule import round_robin
from spacemission_agents.games.space_mission.heuristic.agent import HeuristicAgent
from spacemission_agents.games.space_mission.heuristic.weights import (
    NAMES,
    TABLE,
    load_weights,
    make_weights,
    shipped_weights,
)
from spacemission_env.core.agents import make_agent
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.scoring import tile_points
from spacemission_env.games.space_mission.facts import set_value, write_gains
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from tests.support.agent_games import ask, belief_of, collect
from tests.support.positions import DUSKMERE, FREEZER, HAZARD, RUBY, legal, play, position, words

KEY = np.zeros(1, np.int64)


@pytest.fixture(scope="module")
def agent() -> HeuristicAgent:
    return HeuristicAgent()


def choice(agent: HeuristicAgent, game: Game) -> str:
    return game.move_text(ask(agent, game, KEY))


# ---------------------------------------------------------------- what it reads


def test_set_values_are_the_rules_and_gains_their_steps() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        tiles = rng.integers(0, 7, c.KINDS)
        assert set_value(tiles.astype(float)) == tile_points(tiles)
        gains = np.zeros(c.POINT_KINDS)
        write_gains(tiles.astype(float), 0.0, gains)
        for k in range(c.POINT_KINDS):
            more = tiles.copy()
            more[k] += 1
            assert gains[k] == tile_points(more) - tile_points(tiles)


def test_a_pile_looked_through_is_remembered_and_what_went_since_is_allowed_for() -> None:
    game = position(
        "J1S1 J1S2",
        "J1S3 J1S4",
        piles={FREEZER: "water*2 medal*3 space*2"},
        taken={FREEZER: "0:mineral_red"},
        stations={FREEZER: 0},
        ships={0: FREEZER, 1: FREEZER},
        player=1,
    )
    play(game, "discover", "take water", "fly Hazard")
    belief = belief_of(game)
    assert belief.points[FREEZER] == 4
    assert belief.spaces[FREEZER] == 2
    assert belief.number[FREEZER, c.WATER] == pytest.approx(2 * 4 / 5)
    assert belief.number[FREEZER, c.MEDAL] == pytest.approx(3 * 4 / 5)
    assert belief.present[FREEZER, c.MEDAL] > belief.present[FREEZER, c.WATER] > 0.9
    assert belief.number[FREEZER].sum() == pytest.approx(4)


def test_space_tiles_that_lie_face_up_are_in_no_other_pile() -> None:
    """Duskmere shows seven of sixteen space tiles; this seat has looked nowhere."""
    game = position("", "", taken={DUSKMERE: "1:medal"}, piles={DUSKMERE: "space*7"}, stations={DUSKMERE: 1})
    belief = belief_of(game)
    assert belief.spaces[DUSKMERE] == 0  # none of them face down
    assert belief.spaces[FREEZER] == pytest.approx(8 * 9 / 57)


def test_the_chances_of_a_card_come_from_the_cards_not_yet_seen() -> None:
    game = position("J1S1 S2L3", "", rest="discard", draw="")
    cards = load_components().cards
    belief = belief_of(game)
    assert belief.chance.max() == 0  # all cards are seen
    game = position("J1S1 S2L3", "")
    chance = belief_of(game).chance
    for colour, name in enumerate(("jump", "scan", "landing")):
        for number in (1, 2, 3, 4):
            serving = sum(
                bool({number, 5} & set(getattr(card, name)))
                for card in cards
                if card.id not in ("J1S1", "S2L3")
            )
            assert chance[colour, number] == pytest.approx(serving / 58)


# ---------------------------------------------------------------- what it does


def last_pile(own: str, others: str) -> Game:
    """A game at the last turn of a round; the last point tile of Freezer, a medal, ends the game.

    Hazard, one flight away, has more tiles.
    """
    own_tiles, other_tiles = words(own), words(others)
    return position(
        "J4S1 J4S2",
        "J4S3 J4S4",
        piles={FREEZER: "medal space*6", HAZARD: "water*2 medal*2 alien_blue*2 alien_brown space"},
        taken={
            FREEZER: "0:medal",
            RUBY: " ".join(f"0:{name}" for name in own_tiles[:8]),
            DUSKMERE: " ".join(f"1:{name}" for name in other_tiles[:8]),
        },
        stations={FREEZER: 0, RUBY: 0, DUSKMERE: 1, HAZARD: 1},
        ships={0: FREEZER, 1: HAZARD},
        gate=(2, 2),
        start=1,
        player=0,
        round_number=9,
        actions_left=1,
    )


def test_it_ends_the_game_when_ahead_and_not_when_behind(agent: HeuristicAgent) -> None:
    rich = "mineral_red*4 mineral_blue*4"
    poor = "matter_green"
    ahead = last_pile(rich, poor)
    assert choice(agent, ahead) == "discover"
    play(ahead, "discover", "take medal")
    assert ahead.over
    behind = last_pile(poor, "mineral_red*4 mineral_blue*2 mineral_green*2")
    assert choice(agent, behind) != "discover"


def test_the_last_round_is_played_for_points(agent: HeuristicAgent) -> None:
    """A scan would reserve a tile that is never received; the next planet gives one at once."""
    rules = Rules(max_rounds=9)
    table = {
        "piles": {HAZARD: "water*2 medal*2 alien_blue*2 alien_brown space"},
        "stations": {HAZARD: 1},
        "ships": {0: FREEZER, 1: HAZARD},
        "gate": (2, 2),
        "start": 1,
        "player": 0,
    }
    last = position("J4S1 S1L4", "J4S3", rules=rules, round_number=9, **table)  # type: ignore[arg-type]
    assert "scan J4S1" in legal(last)
    moves = []
    while not last.over:
        moves.append(choice(agent, last))
        play(last, moves[-1])
    assert moves[:2] == ["fly Hazard", "discover"]
    assert moves[2].startswith("take")


def test_a_joker_is_kept_where_another_card_serves(agent: HeuristicAgent) -> None:
    game = position("J4S1 S?L3", "J4S3", ships={0: FREEZER, 1: c.NOWHERE}, gate=(1, 0), actions_left=1)
    assert {"scan J4S1", "scan S?L3"} <= set(legal(game))
    assert choice(agent, game) == "scan J4S1"
    game = position("J1S4 J?S3", "J4S3", gate=(0, 0))
    moves = legal(game, "jump")
    assert any("J?S3" in move for move in moves)
    assert choice(agent, game) == "jump Caldera J1S4"


def test_it_goes_where_it_remembers_a_better_pile(agent: HeuristicAgent) -> None:
    """Hazard and Duskmere are both next to Freezer, developed, and have been looked through."""
    good, bad = "alien_blue*4 space*3", "medal space*6"
    for better, worse, flight in ((HAZARD, DUSKMERE, "fly Hazard"), (DUSKMERE, HAZARD, "fly Duskmere")):
        game = position(
            "",
            "",
            piles={better: good, worse: bad, FREEZER: "space*7"},
            taken={better: "0:alien_blue", worse: "0:water", FREEZER: "1:medal"},
            stations={better: 0, worse: 0, FREEZER: 1},
            ships={0: FREEZER, 1: c.NOWHERE},
            gate=(1, 1),
            rules=Rules(space_tiles_to_end=16),
        )
        assert choice(agent, game) == flight


def test_it_picks_the_tile_that_completes_a_set(agent: HeuristicAgent) -> None:
    game = position(
        "J4S1",
        "J4S3",
        piles={FREEZER: "water medal matter_green mineral_red alien_blue space"},
        taken={FREEZER: "1:medal 1:medal", RUBY: "0:alien_blue 0:alien_blue 0:alien_blue 0:alien_brown"},
        stations={FREEZER: 1, RUBY: 0},
        ships={0: FREEZER, 1: c.NOWHERE},
        gate=(1, 1),
    )
    play(game, "discover")
    assert choice(agent, game) == "take alien_blue"


def test_a_space_tile_is_never_taken_by_choice(agent: HeuristicAgent) -> None:
    for asked in collect(agent, 3, 10, rules=Rules(space_tile_penalty=True)):
        assert (agent.act(asked) != c.TAKE + c.SPACE).all()


# ---------------------------------------------------------------- weights


def test_the_table_of_weights_is_whole() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for weight in TABLE:
        assert weight.low <= weight.default <= weight.high
        assert weight.meaning
    assert make_weights()["card"] == next(weight.default for weight in TABLE if weight.name == "card")


def test_the_shipped_weights_are_read() -> None:
    for num_players in (2, 3, 5):
        shipped = shipped_weights(num_players)
        assert any(shipped[weight.name][0] != weight.default for weight in TABLE)
    assert (shipped_weights(3) == shipped_weights(5)).all()


def test_two_players_have_weights_of_their_own(agent: HeuristicAgent) -> None:
    """Other weights for more players change no game of two."""
    other = HeuristicAgent()
    other.weights = np.concatenate([agent.weights[:1], make_weights({"plan": 0.2, "card": 0.0})])
    for num_players, same in ((2, True), (3, False)):
        batches = collect(agent, num_players, 10)
        assert all((other.act(asked) == agent.act(asked)).all() for asked in batches) == same


def test_a_file_of_weights_is_played(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text("[weights]\njoker = 2.5\ncard = 1\n")
    weights = load_weights(path)
    assert weights["joker"] == 2.5
    assert weights["card"] == 1.0
    assert weights["plan"] == make_weights()["plan"]
    played = make_agent(f"heuristic:{path}")
    assert isinstance(played, HeuristicAgent)
    assert (played.weights == weights).all()


# ---------------------------------------------------------------- strength


@pytest.mark.parametrize(("num_players", "least"), [(2, 0.7), (3, 0.5), (5, 0.3)])
def test_it_beats_greedy(num_players: int, least: float) -> None:
    """One seat against `greedy` in all others wins far more than its fair share."""
    lineups, seeds = round_robin(2, num_players, 400, 11)
    one = (lineups == 0).sum(1) == 1
    results = play_games(["heuristic", "greedy"], lineups[one], seeds[one], workers=1)
    assert results.truncated.mean() < 0.01
    assert results.shares[lineups[one] == 0].mean() > least


def test_games_among_its_like_end() -> None:
    agent = HeuristicAgent()
    for num_players in (2, 4):
        lineups = np.zeros((60, num_players), np.int64)
        results = play_games([agent], lineups, np.arange(60), workers=1)
        assert not results.truncated.any()
        assert results.rounds.max() < 60
