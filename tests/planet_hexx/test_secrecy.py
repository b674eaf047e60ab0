"""Tests that cards of others leave no trace in the course of a game; `env/test_secrecy.py` has positions."""

import numpy as np
import pytest

from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.game import Game
from tests.planet_hexx.positions import new_game, random_move


def given(game: Game, seat: int) -> Json:
    """What a seat is given at its decision."""
    return {
        "observation": game.observe(seat).tobytes(),
        "key": game.information_state_key(seat),
        "board": game.board(seat),
        "json": game.seat_json(seat),
        "world": game.determinize(seat, 7).states.tobytes(),
        "decision key": game.decision_key(),
        "words": [game.words(action) for action in game.legal_actions()],
    }


def hold_others_card(game: Game, seat: int, rng: np.random.Generator) -> Game:
    """A copy in which some hidden cards of the other seats are exchanged with cards of the deck."""
    twin = game.clone()
    s = twin.states[0]
    at = 0
    for j in range(game.num_players):
        for i in range(int(s.hand_size[j])):
            if j != seat and s.epoch[j, i] == s.shuffles and not s.known[j, i] and rng.random() < 0.7:
                kept = int(s.hand[j, i])
                s.hand[j, i], s.deck[at] = s.deck[at], kept
                at += 1
        if j != seat:
            s.hand[j, : s.hand_size[j]].sort()
    return twin


class Course:
    """A game in which the moves of the other seats do not depend on hidden cards.

    They fly in every second turn, stop at once and never answer. `seat` chooses moves by a list of numbers.
    """

    def __init__(self, game: Game, seat: int, numbers: list[int]) -> None:
        self.game, self.seat, self.numbers = game, seat, iter(numbers)
        self.given: list[object] = []  # to the seat, at its decisions
        self.asked: list[tuple[int, int]] = []
        self.passes: list[int] = []  # of others in windows, before each decision of the seat

    def play(self, decisions: int) -> None:
        """Play until the seat has made this number of decisions."""
        self.passes.append(0)
        while len(self.given) < decisions and not self.game.over:
            s = self.game.states[0]
            self.asked.append((self.game.player, int(s.asked)))
            legal = self.game.legal_actions()
            if self.game.player == self.seat:
                self.given.append((given(self.game, self.seat), legal))
                self.passes.append(0)
                quiet = [a for a in legal if not self.plays_an_event(a)]
                self.game.step(quiet[next(self.numbers) % len(quiet)])
                continue
            action = legal[0]
            if int(s.asked) == c.WINDOW:
                self.passes[-1] += 1
            elif 6 in legal and int(s.turn) % 2:
                action = 6
            assert action < 7, "a decision that depends on hidden cards"
            shown = self.game.move_seen(action, self.seat)
            assert (shown is None) == (int(s.asked) == c.WINDOW)
            self.game.step(action)

    def plays_an_event(self, action: int) -> bool:
        s = self.game.states[0]
        if not 7 <= action < 19:
            return False
        card = int(s.hand[self.seat, action - 7])
        return self.game.t.placing[card] == c.NOTHING or self.game.t.on_enter[card] != c.NOTHING


def courses(num_players: int, seed: int, always_ask: bool) -> tuple[Course, Course]:
    """The same moves in two games that differ in the hands of the other seats."""
    rng = np.random.default_rng([num_players, seed])
    game = new_game(num_players, seed, always_ask=always_ask)
    while int(game.states[0].turn) == 0:
        game.step(random_move(game, rng))
    seat = int(rng.integers(num_players))
    numbers = rng.integers(0, 10_000, 1000).tolist()
    both = Course(game.clone(), seat, numbers), Course(hold_others_card(game, seat, rng), seat, numbers)
    for course in both:
        course.play(60)
    return both


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_what_others_are_asked_in_windows_leaves_no_trace(num_players: int) -> None:
    others = 0
    for seed in range(12):
        one, other = courses(num_players, seed, always_ask=False)
        assert len(one.given) == len(other.given)
        for i, (told, again) in enumerate(zip(one.given, other.given, strict=True)):
            assert told == again
            others += one.passes[i] != other.passes[i]
    assert others >= 8, others


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_with_always_ask_all_are_asked_alike_whatever_they_hold(num_players: int) -> None:
    one, other = courses(num_players, 5, always_ask=True)
    assert one.asked == other.asked
    assert one.given == other.given
    assert sum(asked == c.WINDOW for _, asked in one.asked) > 20
