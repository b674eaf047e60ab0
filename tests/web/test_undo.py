"""A move can be taken back only before something is drawn, revealed or answered."""

from collections.abc import Callable

import httpx
import pytest

from spacemission_agents.web.event_log import EVERY, Timeline
from spacemission_agents.web.store import Move
from spacemission_env.core.game import make_game
from spacemission_env.core.reading import Json
from tests.support.web_server import Guest, mover_of, new_game


def first_words(*starts: str) -> Callable[[Json], bool]:
    """A test whether a move's words begin so, after the player's name."""
    return lambda move: move["words"].partition(" ")[2].startswith(starts)


NOTHING = "tops up, discarding nothing"


@pytest.fixture
def guests(client: httpx.Client) -> list[Guest]:
    """Two people and a spectator in a new game."""
    return new_game(client, "space_mission", None, None, seed=3)


def make(guest: Guest, wanted: Callable[[Json], bool]) -> Json:
    """Make the first wanted move and return the position after it."""
    position = guest.position()
    move = next(move for move in position["legal"] if wanted(move))
    assert guest.post("moves", action=move["action"], step=position["step"]).status_code == 204
    return guest.position()


def test_a_move_that_reveals_nothing_is_taken_back_by_who_made_it(guests: list[Guest]) -> None:
    mover = mover_of(guests)
    before = mover.position()
    after = make(mover, first_words("jumps"))
    assert after["undo"] and after["svg"] != before["svg"]
    others = [guest for guest in guests if guest is not mover]
    assert all(other.post("undo", step=after["step"]).status_code == 409 for other in others)
    assert mover.post("undo", step=after["step"]).status_code == 204
    assert mover.position() == {**before, "events": 2}  # the move, and its taking back
    last = [guest.events()[-1] for guest in guests]
    assert all(event["undo"] and event["step"] == 0 for event in last)
    again = mover.post("undo", step=0)
    assert (again.status_code, again.json()) == (409, {"error": "this move cannot be taken back"})


def test_a_draw_cannot_be_taken_back(guests: list[Guest]) -> None:
    nothing = make(mover_of(guests), first_words(NOTHING))
    assert nothing["undo"]  # nothing is drawn with a full hand
    mover = mover_of(guests)
    drawn = make(mover, lambda move: "tops up" in move["words"] and "nothing" not in move["words"])
    assert not drawn["undo"]
    assert mover.post("undo", step=drawn["step"]).status_code == 409


def test_a_look_into_a_pile_cannot_be_taken_back(client: httpx.Client) -> None:
    for seed in range(40):
        guests = new_game(client, "space_mission", None, None, seed=seed)
        mover = mover_of(guests)
        jumped = make(mover, first_words("jumps"))
        if any(first_words("scans")(move) for move in jumped["legal"]):
            looked = make(mover, first_words("scans"))
            assert not looked["undo"]
            taken = make(mover, first_words("reserves"))
            # The seat knew the reserved tile; but it looked at the pile one move before.
            assert taken["undo"] and mover.post("undo", step=taken["step"]).status_code == 204
            assert mover.post("undo", step=mover.position()["step"]).status_code == 409
            return
    pytest.fail("no seed lets the first player scan")


def test_after_another_has_moved_it_is_too_late(guests: list[Guest]) -> None:
    first = mover_of(guests)
    make(first, first_words(NOTHING))
    ended = make(first, first_words(NOTHING))
    assert ended["undo"] and not ended["legal"]
    other = mover_of(guests)
    assert other is not first and not other.position()["undo"]
    make(other, first_words(NOTHING))
    assert not first.position()["undo"]
    assert first.post("undo", step=first.position()["step"]).status_code == 409


@pytest.mark.parametrize("seed", range(4))
def test_a_roll_cannot_be_taken_back(seed: int, client: httpx.Client) -> None:
    guests = new_game(client, "planet_hexx", None, None, seed=seed)
    for _ in range(2):
        make(mover_of(guests), lambda move: True)
    mover = mover_of(guests)
    moved = make(mover, first_words("declares a Move"))
    assert not moved["undo"]


def test_after_a_move_is_taken_back_the_positions_are_those_of_the_moves_that_stand() -> None:
    """Also where a copy of the game after the withdrawn move was kept."""
    dealt = make_game("space_mission", 2)
    dealt.reset(3)
    line = Timeline(dealt)

    def go_on(choice: int) -> bytes:
        made = Move(line.now.legal_actions()[choice])
        line.turn_to(made, line.after(made))
        return line.now.states.tobytes()

    withdrawn = [go_on(0) for _ in range(EVERY)][-1]
    line.turn_to(None, line.after(None))
    stands = go_on(-1)
    go_on(0)
    assert line.at(EVERY).states.tobytes() == stands != withdrawn
