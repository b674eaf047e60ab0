"""Tests that moves begun and finished by afterstates are the moves of the rules."""

from collections import Counter

import pytest

from spacemission_env.core.constants import NO_ORDER
from spacemission_env.games.space_mission.actions import kind_of, slots_of
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.rules import (
    apply,
    draw_card,
    end_turn,
    look,
    point_tiles,
    reveal_if_only_space,
)
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from tests.support.afterstates import begun, positions
from tests.support.random_components import random_box
from tests.support.random_play import VARIANTS

pytestmark = pytest.mark.slow

DRAWS, TO_RESERVE, TO_DEVELOP, TO_DISCOVER = range(1, 6), 6, 7, 8  # the pending parts of moves


def finish(game: Game, pending: int) -> None:
    """Complete a begun move: draw the cards or look into the pile; then the turn may end."""
    s, t = game.states[0], game.t
    seat = s.player
    if pending in DRAWS:
        for _ in range(pending):
            draw_card(s, seat, NO_ORDER)
    elif pending:
        p = s.ship[seat]
        look(s, seat, p)
        if pending == TO_RESERVE and point_tiles(s, p) == 0:
            reveal_if_only_space(s, t, p)  # SM-34
        else:
            s.phase = {TO_RESERVE: c.PICK_RESERVE, TO_DEVELOP: c.PICK_DEVELOP, TO_DISCOVER: c.PICK_DISCOVER}[
                pending
            ]
    s.decisions += 1
    if s.phase == c.ACTION and s.actions_left == 0:
        end_turn(s, t)


def to_come(game: Game, action: int) -> int:
    """The pending part of a move by the rules list."""
    s, kind = game.states[0], kind_of(action)
    seat = int(s.player)
    if kind == "top_up":  # SM-21
        return int(game.rules.hand_size - s.hand_size[seat] + len(slots_of(action)))
    if kind not in ("scan", "develop", "discover"):
        return 0
    p = int(s.ship[seat])
    if s.face_up[p] or s.taken[p] == c.PILE:  # SM-35, SM-42: nothing lies face down
        return 0
    return {"scan": TO_RESERVE, "develop": TO_DEVELOP, "discover": TO_DISCOVER}[kind]


def check_moves(game: Game, seen: Counter[tuple[str, int]]) -> None:
    """Check that each legal move, begun and completed, equals the move of the rules."""
    for action in game.legal_actions():
        whole = game.clone()
        apply(whole.states[0], whole.t, action, NO_ORDER)
        part, pending = begun(game, action)
        assert pending == to_come(game, action), (action, kind_of(action))
        finish(part, pending)
        assert part.states.tobytes() == whole.states.tobytes(), (action, kind_of(action))
        seen[kind_of(action), pending] += 1


@pytest.mark.parametrize(("name", "rules"), VARIANTS, ids=[name for name, _ in VARIANTS])
def test_a_move_begun_and_finished_is_the_move(name: str, rules: Rules) -> None:
    seen: Counter[tuple[str, int]] = Counter()
    for players in (2, 3, 4, 5):
        for game in positions(players, rules, 10 * players, every=8):
            check_moves(game, seen)
    kinds = {kind for kind, _ in seen}
    assert kinds == {"top_up", "jump", "fly", "scan", "develop", "discover", "take"}
    assert {pending for _, pending in seen} >= {0, 1, TO_RESERVE, TO_DEVELOP, TO_DISCOVER}


def test_moves_of_closed_piles_have_nothing_to_come() -> None:
    seen: Counter[tuple[str, int]] = Counter()
    rules = Rules(scan_face_up=True, space_tiles_to_end=16, chips_per_player=40)
    for seed in range(4):
        for game in positions(3, rules, seed, every=6, box=random_box(seed) if seed % 2 else None):
            check_moves(game, seen)
    assert seen["scan", 0] and seen["develop", 0], seen
