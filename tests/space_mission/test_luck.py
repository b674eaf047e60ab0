"""Luck of Space Mission: cards come evenly, what they are worth adds up to nothing, no game is touched."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

from spacemission_agents.arena.luck import find_luck
from spacemission_agents.games.space_mission.luck.draws import draw_luck, end_top_up, move_luck, put_on_top
from spacemission_agents.games.space_mission.luck.judge import SpaceMissionLuck
from spacemission_agents.games.space_mission.luck.value import new_value, shipped_weights
from spacemission_env.core.agents_api import make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.games.space_mission.engine.constants import CARDS, JUMP, MAX_PLAYERS
from spacemission_env.games.space_mission.engine.rules import apply, form_draw_pile

LUCK = SpaceMissionLuck()
NET = new_value(shipped_weights())


def positions(players: int, moves: int, games: int = 12, agent: str = "greedy") -> BatchedGames:
    """Games some moves in."""
    table = BatchedGames(games, players)
    one = make_agent(agent)
    prepare_agents([one], table.info)
    for i in range(games):
        table.deal(i, 100 + i)
    for _ in range(moves):
        index = np.flatnonzero(~table.over)
        asked = table.ask(index)
        table.step(index, one.act(asked.part(one, np.arange(len(index)))))
    return table


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_value_turns_with_the_seats_and_shares_one_win(players: int) -> None:
    table = positions(players, 0)
    luck = LUCK.of_deal(table, table.everyone)
    assert luck.sum(1) == pytest.approx(np.zeros(len(luck)))
    assert abs(luck).max() > 0.001
    held = BatchedGames(2, players, rules={"start_player": 0})
    held.deal(0, 1), held.deal(1, 2)
    assert not LUCK.of_deal(held, held.everyone).any()  # who begins is not drawn: seats differ


def test_deals_are_worth_an_equal_share_on_average() -> None:
    table = BatchedGames(4000, 2)
    for i in range(4000):
        table.deal(i, i)
    luck = LUCK.of_deal(table, table.everyone)[:, 0]
    assert abs(luck.mean()) < 4 * luck.std() / np.sqrt(len(luck))


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("moves", [0, 20, 40])
def test_over_the_cards_that_may_come_luck_adds_up_to_nothing(players: int, moves: int) -> None:
    table = positions(players, moves)
    seen = 0
    for i in np.flatnonzero(~table.over).tolist():
        s = table.states[i : i + 1].copy()
        if s[0].phase != 0 or s[0].draw_size == 0:
            continue
        scratch = table.spec.new_states(1)
        told, expected = np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS)
        total, spread = np.zeros(MAX_PLAYERS), 0.0
        s[0].hand_size[s[0].player] -= 1  # room for a card
        for place in range(int(s[0].draw_size)):
            world = s.copy()
            put_on_top(world[0], place)
            draw_luck(world, table.template.boxes[0], 1, NET, scratch, told, expected)
            total += told - expected
            spread += abs(told - expected).max()
        assert total[:players] == pytest.approx(np.zeros(players), abs=1e-6)
        seen += spread > 0.01
    assert seen


def test_cards_are_drawn_in_the_game_as_they_are_for_the_value() -> None:
    table = positions(2, 30, games=60)
    boxes, drawn = table.template.boxes, 0
    for i in np.flatnonzero(~table.over).tolist():
        mask = table.game(i).mask()
        for action in np.flatnonzero(mask[:JUMP]).tolist():
            worlds, after = table.spec.new_states(2), table.states[i : i + 1].copy()
            before = table.states[i].tobytes()
            worlds[0] = table.states[i]
            move_luck(worlds[:1], boxes[0], action, NET, worlds[1:], np.zeros(MAX_PLAYERS))
            end_top_up(worlds[0], boxes[0])
            apply(after[0], boxes[0], action, NO_ORDER)
            assert worlds[0].tobytes() == after[0].tobytes()
            assert table.states[i].tobytes() == before
            drawn += 1
    assert drawn > 50


def next_cards(states: np.ndarray) -> np.ndarray:
    """How often each face is the next card, less how often it should be, in standard deviations."""
    seen, mean, variance = np.zeros(CARDS), np.zeros(CARDS), np.zeros(CARDS)
    for s in states:
        size = int(s.draw_size)
        share = np.bincount(s.draw[:size], minlength=CARDS) / size
        seen[s.draw[size - 1]] += 1
        mean += share
        variance += share * (1 - share)
    there = variance > 5
    return (seen - mean)[there] / np.sqrt(variance[there])


def test_every_card_of_the_draw_pile_is_as_likely_to_be_the_next() -> None:
    for moves in (0, 30, 60):  # dealt, played on, and after the pile was formed anew
        table = positions(2, moves, games=2000, agent="random")
        states = table.states[~table.over & (table.states["draw_size"] > 0)]
        if moves == 60:
            states = states[states["shuffles"] > 0]
        assert len(states) > 300
        away = next_cards(states)
        assert len(away) > 10
        assert abs(away).max() < 5 and (away**2).sum() < len(away) + 5 * np.sqrt(2 * len(away))


def test_a_pile_formed_anew_is_shuffled_evenly() -> None:
    table = positions(2, 10, games=1)
    first = []
    for seed in range(3000):
        world = table.states[:1].copy()
        world[0].rng[:] = np.random.default_rng(seed).integers(1, 2**32, 6, dtype=np.uint32)
        s = world[0]
        for card in s.draw[: int(s.draw_size)]:
            s.discard[card] += 1
        s.discard_size += int(s.draw_size)
        s.draw_size = 0
        form_draw_pile(s, NO_ORDER)
        first.append(world)
    away = next_cards(np.concatenate(first))
    assert abs(away).max() < 5


def test_odds_that_are_told_leave_no_luck_on_average() -> None:
    table = positions(3, 15)
    checked = 0
    for i in np.flatnonzero(~table.over).tolist():
        moves = np.flatnonzero(table.game(i).mask())
        odds = np.zeros((1, 101))
        odds[0, moves] = np.random.default_rng(i).dirichlet(np.ones(len(moves)))
        index = np.array([i])
        luck = [LUCK.of_choices(table, index, np.array([a]), odds)[0] for a in moves]
        assert odds[0, moves] @ np.array(luck) == pytest.approx(np.zeros(3), abs=1e-9)
        checked += abs(np.array(luck)).max() > 0.001
    assert checked


def test_the_hash_is_that_of_the_file() -> None:
    assert find_luck("space_mission").digest == sha256(shipped_weights()).hexdigest()
