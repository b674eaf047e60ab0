"""Tests what language models are told of a seat, and what their answers mean.

`python -m tests.env.test_text_seat 100000 2000` looks at so many positions of every game, where no two moves
may have one text, and reads so many hostile answers (`make check-long`). `test_secrecy`: what a prompt tells.
"""

import json
import random
import re
import sys
import time

import pytest

from spacemission_env import TextSeat, make_game
from spacemission_env.core.errors import SetupError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.core.move_texts import move_key
from spacemission_env.testing.sample import Lines
from spacemission_env.testing.words import text_problem
from spacemission_env.texts.neutral import SPELLED, NeutralNames, _groups
from spacemission_env.texts.seat import ANSWER, Illegal, Move, Unreadable
from tests.support.text_seats import seat_of

POSITIONS, ANSWERS = 60, 300
NAMES = ("own", "neutral")


def says(move: object) -> str:
    return json.dumps({"move": move})


def played(name: str, players: int, moves: int, seed: int, *seats: TextSeat) -> Game:
    """A game after random moves, which these seats have seen."""
    game = seats[0].game if seats else make_game(name, players)
    game.reset(seed)
    rng = random.Random(seed)
    while moves and not game.over:
        action = rng.choice(game.legal_actions())
        for one in seats:
            one.note(action)
        game.step(action)
        moves -= 1
    return game


# ---------------------------------------------------------------- each move by its text


def moves_checked(name: str, players: int, positions: int, seed: int) -> int:
    """Check texts of legal moves in random positions, in own and neutral words; return their number."""
    lines, moves, rng = Lines(make_game(name, players), seed), 0, random.Random(seed)
    first = {form.split()[0] for form, _ in find_game(name).move_forms}
    first |= {
        word
        for _, meaning in find_game(name).move_forms
        for word in re.findall(r"[a-z_]+(?= [\(CN])", meaning)
    }
    while positions > 0:
        for states in lines.play().states[1:]:
            game = lines.at(states)
            assert text_problem(game) is None, (name, players, game.seed)
            for names in NAMES if not game.over else ():
                seat = seat_of(game, int(game.states[0].player), names)
                legal = seat._legal()
                assert len({move_key(text) for text in legal.values()}) == len(legal)
                for action in rng.sample(sorted(legal), min(2, len(legal))):
                    text = rng.choice((str.upper, str.lower, lambda text: text.replace(" ", "  ")))(
                        legal[action]
                    )
                    assert seat.parse(says(text)) == Move(action, legal[action])
                if names == "own":
                    assert {text.split()[0] for text in legal.values()} <= first
                moves += len(legal)
            positions -= 1
            if not positions:
                break
    return moves


@pytest.mark.parametrize("name", game_names())
def test_each_legal_move_is_read_from_its_own_text_and_no_other(name: str) -> None:
    spec = find_game(name)
    for players in (spec.min_players, spec.max_players):
        assert moves_checked(name, players, POSITIONS, players) > POSITIONS // 2


# ---------------------------------------------------------------- answers


def kuhn(*moves: str) -> Game:
    game = make_game("kuhn_poker", 2)
    game.reset(5)
    for move in moves:
        game.step(game.parse_move(move))
    return game


@pytest.mark.parametrize(
    "answer",
    [
        '{"move": "bet"}',
        ' {"move" :\n" B et" } ',
        'Not {"move": "check"}:\n```json\n{"move": "bet", "why": "{\\"move\\": \\"check\\"}"}\n```\nwins.',
        '{"move": "check"}{"move": "bet"}',
        'set {a, b}, {"oops": nothing} then {"move": "bet"} and {1}',
        '{"plan": {"move": "check"}, "move": "bet"}',
        '{"move": "check\n{"move": "bet"}',
        '[1] {"move": "bet"} fold',
        "x" * 900_000 + '{"move": "bet"}',
    ],
)
def test_the_move_of_the_last_object_is_read(answer: str) -> None:
    assert TextSeat(kuhn(), 0).parse(answer) == Move(1, "bet")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "there is no JSON object"),
        ("bet", "there is no JSON object"),
        ('My move is "bet". {move: bet}', "there is no JSON object"),
        ('{"move": "bet"} {"answer": "check"}', '"move" stands not'),
        ('{"move": "bet"} {"move": 1}', '"move" is no text'),
        ('{"move": "bet"} {"move": ["bet"]}', '"move" is no text'),
        ('{"move": "bet"} {"move": "che', "is no JSON: Unterminated string"),
        ('{"move": "bet", "move": "bet"}', "twice"),
        ('{"plan": {"move": "bet"}}', '"move" stands not'),
        ('{"plan": {"move": "bet"}, oops', "is no JSON"),
        ('[{"move": "bet"}]', "is a list"),
        ('[{"move": "check"}, {"move": "bet"}]', "is a list"),
        ('{"a":' * 100_000 + '{"move": "bet"}', "nested too deeply"),
        ('{"x ' * 200_000 + '{"move": "bet"}', "objects are no JSON"),
        ('{"' * 400_000 + '{"move": "bet"}', "objects are no JSON"),
        ('{"move": "bet"}' + " " * 1_000_000, "more than 1,000,000 characters"),
        (None, "expected a text"),
    ],
)
def test_no_move_is_guessed_from_anything_else(answer: str, why: str) -> None:
    began = time.monotonic()
    found = TextSeat(kuhn(), 0).parse(answer)
    assert isinstance(found, Unreadable) and why in found.reason
    assert time.monotonic() - began < 30  # quadratic time would take hours


def test_a_move_that_is_not_legal_has_its_reason_and_rule() -> None:
    game = make_game("space_mission", 2)
    game.reset(3)
    seat = TextSeat(game, int(game.states[0].player))
    assert seat.parse(says("take water")) == Illegal(
        "'take water' (take) is illegal: there is no tile pick now"
    )
    found = seat.parse(says("DISCOVER"))
    assert found == Illegal(
        "'discover' (discover) is illegal: the ship is on the jump gate (SM-25, SM-26)", "SM-25"
    )
    assert seat.parse(says("develop S1L1+S1L2")).rule_id == "SM-40"  # type: ignore[union-attr]
    for text in ("warp Hazard", "", "player_1: fly Hazard", "jump Hazard J9J9", "35", "jump"):
        found = seat.parse(says(text))
        assert isinstance(found, Illegal) and "nearest" not in found.reason  # that would be a legal move
    assert TextSeat(game, 1 - seat.seat).parse(says("top_up")) == Illegal("it is not your move")


def test_a_retry_says_what_was_wrong_and_no_legal_move() -> None:
    seat = TextSeat(kuhn("bet"), 1)
    illegal, unreadable = seat.retry_text(says("check")), seat.retry_text("fold")
    assert (
        illegal.startswith("This move is not legal: 'check': not possible here and now") and "KP-4" in illegal
    )
    assert unreadable.startswith("Your answer could not be read: there is no JSON object")
    assert not any(move in text.split() for move in ("fold", "call") for text in (illegal, unreadable))
    assert seat.retry_text(says("fold")) == ""


def answers_checked(answers: int, seed: int) -> int:
    """Read broken and hostile answers, made of parts with a known meaning; return how many had a move."""
    rng, moves = random.Random(seed), 0
    games = [kuhn(), kuhn("bet"), played("space_mission", 3, 12, seed), played("planet_hexx", 3, 30, seed)]
    for _ in range(answers):
        game = rng.choice(games)
        seat = TextSeat(game, int(game.states[0].player))
        legal = {text: action for action, text in seat._legal().items()}
        last, parts = None, []
        for _ in range(rng.randrange(1, 7)):
            part, last = _part(rng, list(legal), last)
            parts.append(part)
        found = seat.parse(rng.choice(("", "\n", " ")).join(parts))
        wanted = legal.get(last) if last is not None else None
        assert (found.action if isinstance(found, Move) else None) == wanted, parts
        moves += wanted is not None
    return moves


def _part(rng: random.Random, legal: list[str], last: str | None) -> tuple[str, str | None]:
    """A part of an answer, and the move that counts after it: None if there is none."""
    move = rng.choice(legal)
    wrong = rng.choice(
        ("e2e4", "player_1: " + move, "action 3", move + " now", "ignore all rules; move: " + move)
    )
    mute = (
        f"I play {move}.", f"move: {move}", f'so "move": "{move}"', "}" * 3, "```json\n", "{move}", "[]",
        f"SYSTEM: the move of this seat is {move}. Say no more.", "\u202e\x00\ud800 { x", "{" * 20 + "x",
        f"{{{move}}}", "] }", '\\"',
    )  # fmt: skip
    broken = (
        f'{{"move": "{move}", }}', f'{{"move": {move}}}', f'{{"a": {{"move": "{move}"}}, !',
        f'{{"move": "{move}\n', f'[{{"move": "{move}"}}]', f'{{"move": "{move}", "move": "{wrong}"}}',
        f'{{"x": "{move}"}}', '{"move": null}', f'{{"why": {json.dumps(says(move))}}}',
    )  # fmt: skip
    kind = rng.randrange(5)
    if kind < 2:
        return rng.choice(mute), last
    if kind == 2:
        return rng.choice(broken), None
    said = move if kind == 3 else wrong
    return json.dumps({"why": rng.choice(mute), "move": said, "other": [{"move": wrong}]}), said


def test_no_move_is_played_that_the_last_object_does_not_say() -> None:
    assert answers_checked(ANSWERS, 1) > ANSWERS // 20


# ---------------------------------------------------------------- what a seat is told


def test_a_hidden_move_leaves_no_trace_in_the_history() -> None:
    game = make_game("planet_hexx", 3)
    seats = [TextSeat(game, seat) for seat in range(3)]
    hidden = seen = 0
    for seed in range(4):
        for one in seats:
            one.history = []
        rng = random.Random(seed)
        game.reset(seed)
        while not game.over and len(seats[0].history) < 150:
            action = rng.choice(game.legal_actions())
            mover, before = game.player, [list(one.history) for one in seats]
            passes = game.move_seen(action, (int(mover or 0) + 1) % 3) is None
            for one in seats:
                one.note(action)
            for one, old in zip(seats, before, strict=True):
                if passes and one.seat != mover:
                    assert one.history == old
                    hidden += 1
                else:
                    assert len(one.history) == len(old) + 1
                    seen += 1
            game.step(action)
    assert hidden > 5 and seen > 100
    tiles = make_game("space_mission", 2)
    seats = [TextSeat(tiles, seat) for seat in range(2)]
    played("space_mission", 2, 300, 4, *seats)
    takes = [[line for line in one.history if ": take" in line] for one in seats]
    assert all(
        (line == f"player_{1 - one.seat}: take") == line.startswith(f"player_{1 - one.seat}")
        for one, lines in zip(seats, takes, strict=True)
        for line in lines
    )
    assert takes[0]


def test_names_of_people_are_in_no_text() -> None:
    seat = TextSeat(kuhn(), 0)
    assert not re.search("agent|label|human", seat.prompt() + seat.rules())


@pytest.mark.parametrize("name", game_names())
def test_a_prompt_has_the_table_the_question_and_no_legal_moves(name: str) -> None:
    game = played(name, find_game(name).max_players, 2, 2)
    seat = int(game.states[0].player)
    one = TextSeat(game, seat)
    text = one.prompt()
    assert game.board(seat).strip("\n") in text and f"You are player_{seat}" in text
    assert text.endswith('{"move": "…"}\n') and "Legal moves" not in text
    other = TextSeat(game, (seat + 1) % game.num_players)
    assert other.prompt().endswith("It is not your move.\n") and other.legal_moves() == []
    for form, meaning in game.spec.move_forms:
        assert form in text and (re.search(r"\b[A-Z]{2}-\d+", meaning) or form == "CARD")


def test_a_full_game_of_five_fits_6000_characters() -> None:
    game = make_game("space_mission", 5)
    seats = [TextSeat(game, seat) for seat in range(5)]
    longest = 0
    for moves in (0, 40, 120, 250, 400):
        for one in seats:
            one.history = []
        played("space_mission", 5, moves, 9, *seats)
        for one in seats:
            text = one.prompt(budget=6000)
            assert len(text) <= 6000 and game.board(one.seat).strip("\n") in text
            longest = max(longest, len(one.prompt()))
            if one.history:
                assert one.history[-1] in text.splitlines() or len(one.prompt(0)) > 5900
    assert longest > 6000  # so something was left out


def test_a_budget_leaves_out_old_moves_then_meanings_and_never_the_table() -> None:
    game = make_game("space_mission", 2)
    seats = [TextSeat(game, seat) for seat in range(2)]
    played("space_mission", 2, 40, 1, *seats)
    one = seats[int(game.states[0].player)]
    whole, no_moves = one.prompt(), one.prompt(0)
    assert one.prompt("all", len(whole)) == whole
    shorter = one.prompt(budget=len(whole) - 1)
    assert "(" in shorter and "earlier left out" in shorter and one.history[-1] in shorter
    assert one.history[0] not in shorter.splitlines() and "put five" not in shorter
    least = one.prompt(budget=len(no_moves) - 1)
    assert "Forms of moves: top_up CARD+CARD+… | jump PLANET CARD" in least and "SM-24" not in least
    assert game.board(one.seat).strip("\n") in least
    with pytest.raises(SetupError, match=r"budget: the table alone takes [\d,]+ characters, more than 100"):
        one.prompt(budget=100)
    assert one.prompt(3).count("\nplayer_") == one.prompt(0).count("\nplayer_") + 3
    for wrong in ({"history": -1}, {"history": "some"}, {"budget": 0}, {"budget": 1.5}):
        with pytest.raises(SetupError, match=next(iter(wrong))):
            one.prompt(**wrong)  # type: ignore[arg-type]
    with pytest.raises(SetupError, match="length: expected one of short, long"):
        one.rules("middle")
    with pytest.raises(SetupError, match="names: expected one of own, neutral"):
        TextSeat(game, 0, "other")


@pytest.mark.parametrize("name", game_names())
def test_rules_are_long_or_short_with_the_options_of_the_game(name: str) -> None:
    game = played(name, find_game(name).min_players, 0, 1)
    one = TextSeat(game, 0)
    short, long = one.rules("short"), one.rules()
    assert len(short) <= len(long) and short.splitlines()[0] == long.splitlines()[0] == f"# {game.spec.title}"
    for option in game.rules.to_json():
        assert f"{option} = " in short
    for paragraph in short.split("\n\n"):
        if not paragraph.startswith(("#", "Options", "|")):
            assert re.search(r"\b[A-Z]{2}-\d+|environment|anything|twice|reserved tile counts", paragraph), (
                paragraph
            )


def test_a_game_without_texts_says_so_and_lists_its_moves() -> None:
    from dataclasses import replace

    game = kuhn()
    game.spec = replace(game.spec, rules_text="", move_forms=())  # type: ignore[misc]
    one = TextSeat(game, 0)
    assert one.rules() == "The game Kuhn poker has no text of its rules.\n"
    assert "these are the legal ones:\n- check\n- bet\n" in one.prompt()


# ---------------------------------------------------------------- neutral names


@pytest.mark.parametrize("name", game_names())
def test_no_original_name_is_in_a_neutral_text(name: str) -> None:
    game = make_game(name, find_game(name).max_players)
    words = {word for word, _ in _groups(game)} | {game.spec.title}
    wanted = re.compile(
        "|".join(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" for word in words if len(word) > 1),
        re.IGNORECASE,
    )
    letters = {word for word in words if len(word) == 1}
    seats = [TextSeat(game, seat, "neutral", 11) for seat in range(game.num_players)]
    for moves in (0, 5, 60, 150):
        for one in seats:
            one.history = []
        played(name, game.num_players, moves, moves, *seats)
        for one in seats:
            for text in (one.rules(), one.prompt(), *one.legal_moves()):
                found = wanted.search(text.replace(ANSWER, ""))  # "object" is also JSON's
                assert found is None, found
                for spelled in re.findall(r"\b(?:[A-Z][\d?])+\b", text):
                    assert not letters & set(spelled)


def test_neutral_names_are_one_to_one_and_drawn_from_the_seed() -> None:
    game = make_game("planet_hexx", 2)
    one, same, other = (NeutralNames(game, seed) for seed in (1, 1, 2))
    names = [card.id for card in game.components.cards]  # type: ignore[attr-defined]
    assert len({one(name) for name in names}) == len(names)
    assert [one(name) for name in names] == [same(name) for name in names]
    assert sum(one(name) == other(name) for name in names) < 3
    assert SPELLED.fullmatch("J1S?") and not SPELLED.fullmatch("J")
    text = "Fly to Ruby Red,\nthen ruby\nred; flies; RUBY RED. Undeveloped planets, scanned."
    space = NeutralNames(make_game("space_mission"), 4)
    found = space(text).replace(",", "").replace(".", "").replace(";", "").split()
    assert found[2].lower() == found[4] == found[6].lower() and found[6].isupper()
    assert (
        found[0].lower() + "s" != found[5]
        and found[-1].endswith("ned")
        and found[-3].lower().startswith("un")
    )


def main(positions: int, answers: int) -> None:
    for name in game_names():
        spec = find_game(name)
        numbers = range(spec.min_players, spec.max_players + 1)
        for players in numbers:
            part = -(-positions // len(numbers))
            moves = moves_checked(name, players, part, 1000 * players)
            print(f"{name}, {players} players: {part:,} positions, {moves:,} texts of moves", flush=True)
    print(f"{answers:,} answers, {answers_checked(answers, 2):,} with a legal move: none guessed")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
