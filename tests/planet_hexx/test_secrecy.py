"""Tests that hidden facts do not change anything that a seat is given.

Each position is compared with twins that differ in hidden facts only. `determinize` draws some twins; others
are changed by hand: hidden cards within an epoch, passes in windows, number of decisions, random state. The
long check has 2,000 positions for each number of players: `python -m tests.planet_hexx.test_secrecy 2000`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.legal import write_mask
from spacemission_env.games.planet_hexx.game import Game
from tests.planet_hexx.positions import new_game, random_move

IN_WINDOWS = 0.2  # share of positions in windows
VARIANTS: dict[str, Json] = {
    "printed": {},
    "always_ask": {"always_ask": True},
    "many cards": {"hand_size": 9, "upload_cost": 1, "actions_per_turn": 5},
}


def positions(num_players: int, count: int, seed: int, rules: Json) -> Iterator[Game]:
    """Positions of random games, a fifth of them in windows."""
    rng = np.random.default_rng([num_players, seed])
    given = Counter[bool]()
    while True:
        game = new_game(num_players, int(rng.integers(2**31)), **rules)
        wait = 0
        while not game.over:
            asks = int(game.states[0].asked) == c.WINDOW
            wanted = round(count * (IN_WINDOWS if asks else 1 - IN_WINDOWS))
            if given[asks] < wanted and (asks or wait <= 0):
                given[asks] += 1
                wait = int(rng.integers(12))
                yield game
                if given.total() == count:
                    return
            wait -= 1
            game.step(random_move(game, rng, 0.8))


def hidden_places(s: np.record, seat: int) -> dict[int, list[tuple[int, int]]]:
    """Places of hidden cards by epoch: (seat or -1 for the deck, slot)."""
    places: dict[int, list[tuple[int, int]]] = {}
    for j in range(int(s.num_players)):
        for i in range(int(s.hand_size[j])):
            if j != seat and not s.known[j, i]:
                places.setdefault(int(s.epoch[j, i]), []).append((j, i))
    for i in range(int(s.deck_size) - int(s.deck_known)):
        places.setdefault(int(s.shuffles), []).append((-1, i))
    return places


def exchange_cards(s: np.record, seat: int, rng: np.random.Generator) -> None:
    """Permute hidden cards within their epochs, and sort the hands by kind."""
    for there in hidden_places(s, seat).values():
        cards = [int(s.deck[i] if j < 0 else s.hand[j, i]) for j, i in there]
        for (j, i), card in zip(there, rng.permutation(cards), strict=True):
            if j < 0:
                s.deck[i] = card
            else:
                s.hand[j, i] = card
    for j in range(int(s.num_players)):
        if j != seat:
            n = int(s.hand_size[j])
            order = np.argsort(s.hand[j, :n], kind="stable")
            for name in ("hand", "known", "epoch"):
                s[name][j, :n] = s[name][j, :n][order]


def change_passes(s: np.record, seat: int, rng: np.random.Generator) -> None:
    """Change the passes of other seats in windows, and the number of decisions."""
    for d in range(int(s.depth)):
        if s.stack[d].kind == c.ANSWERING:
            own = int(s.stack[d].taken) & (1 << seat)
            s.stack[d].taken = (int(rng.integers(1 << int(s.num_players))) & ~(1 << seat)) | own
    s.decisions += int(rng.integers(1000))


def can_be_asked(game: Game) -> bool:
    """Whether the current decision is possible."""
    mask = np.zeros(game.spec.action_count, np.int8)
    write_mask(game.states[0], game.t, game.player, mask)
    return bool(mask.sum() > 1 or game.rules.always_ask)


def changed_twin(game: Game, seat: int, rng: np.random.Generator) -> Game | None:
    """A copy of the game with other hidden facts; None if no possible deal was found."""
    for _ in range(60):
        twin = game.clone()
        s = twin.states[0]
        exchange_cards(s, seat, rng)
        change_passes(s, seat, rng)
        s.rng[:] = rng.integers(1, 2**32, 6)
        if int(s.asked) == c.WINDOW and seat != game.player:
            others = [j for j in range(game.num_players) if j != seat and may_answer(s, j)]
            s.player = int(rng.choice(others))
        if seat == game.player or can_be_asked(twin):
            return twin
    return None


def may_answer(s: np.record, j: int) -> bool:
    """Whether the open window could ask a seat, by public facts."""
    return int(s.stack[s.depth - 1].seat) != j and (j == int(s.active) or not s.surprised[j])


def given(game: Game, seat: int) -> Json:
    """All information that a seat is given at a position."""
    what: Json = {
        "observation": game.observe(seat).tobytes(),
        "mask": game.mask(seat).tobytes(),
        "key": game.information_state_key(seat),
        "board": game.board(seat),
        "json": game.seat_json(seat),
        "world": game.determinize(seat, 7).states.tobytes(),
    }
    if seat == game.player:
        what["decision key"] = game.decision_key()
        what["words"] = [game.words(action) for action in game.legal_actions()]
    return what


def check(num_players: int, count: int, seed: int = 1) -> Counter[str]:
    """Compare positions with twins, from all seats; return counts."""
    counts: Counter[str] = Counter()
    rng = np.random.default_rng(seed)
    share = -(-count // len(VARIANTS))
    for rules in VARIANTS.values():
        for game in positions(num_players, share, seed, rules):
            counts["positions"] += 1
            counts["in windows"] += int(game.states[0].asked) == c.WINDOW
            for seat in range(num_players):
                told = given(game, seat)
                twins = [game.determinize(seat, int(rng.integers(2**31))), changed_twin(game, seat, rng)]
                for how, twin in zip(("drawn", "changed"), twins, strict=True):
                    if twin is None:
                        counts["no twin found"] += 1
                        continue
                    again = given(twin, seat)
                    assert again == told, [name for name in told if again[name] != told[name]]
                    counts[how] += 1
                    hands = game.states[0].hand, twin.states[0].hand
                    counts["other hands"] += bool((hands[0] != hands[1]).any())
                    counts["asks another"] += twin.player != game.player
    return counts


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_seat_is_given_the_same_in_twin_worlds(num_players: int) -> None:
    counts = check(num_players, 60)
    assert counts["positions"] == 60
    assert counts["in windows"] == 12
    twins = counts["drawn"] + counts["changed"]
    assert counts["no twin found"] <= 0.1 * twins
    assert counts["other hands"] >= 0.8 * twins
    assert num_players == 2 or counts["asks another"] > 0


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
                told = given(self.game, self.seat)
                self.given.append((told, legal))
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


def main(count: int = 2000, seed: int = 1) -> None:
    """The long check."""
    for num_players in (2, 3, 4):
        counts = check(num_players, count, seed)
        print(f"{num_players} players: {dict(counts)}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
