"""Tests that the chance correction reads nothing hidden and has mean zero."""

from __future__ import annotations

import sys
from hashlib import sha256

import numpy as np
import pytest

from spacemission_agents.arena.aivat import find_chance_correction
from spacemission_agents.games.space_mission.value.chance_correction import (
    ChanceCorrection,
    cards_drawn,
    exchange_tiles,
    has_chance,
    is_hidden,
    looks_first,
    move_chance,
    order_pile,
)
from spacemission_agents.games.space_mission.value.shared_network import (
    begin_values,
    new_value,
    shipped_weights,
    value_of,
)
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.rng import seed_rng
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.rules import form_draw_pile

pytestmark = pytest.mark.slow

CORRECTION = ChanceCorrection()
NET = new_value(shipped_weights())


def positions(players: int, moves: int, games: int = 12, agent: str = "greedy") -> BatchedGames:
    """Games after some moves."""
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


def dice(seed: int) -> np.record:
    table = BatchedGames(1, 2)
    seed_rng(table.states[0], seed)
    return table.states[0]


def worth(world: np.record, box: np.record) -> np.ndarray:
    shares = np.zeros(c.MAX_PLAYERS)
    begin_values(world, box, NET)
    value_of(world, box, NET, shares)
    return shares


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_value_turns_with_the_seats_and_shares_one_win(players: int) -> None:
    table = positions(players, 0)
    differ = 0.0
    for s in table.states:
        shares = worth(s, table.template.parameters[0])[:players]
        assert shares.sum() == pytest.approx(1)
        differ = max(differ, abs(shares - 1 / players).max())
        s.hand[:players] = np.roll(s.hand[:players], 1, 0)
        s.player, s.start_player = (s.player + 1) % players, (s.start_player + 1) % players
        assert worth(s, table.template.parameters[0])[:players] == pytest.approx(np.roll(shares, 1), abs=1e-6)
    assert differ > 0.01
    assert not CORRECTION.of_deal(table, table.everyone).any()  # a block has the same deal in all rotations


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("moves", [0, 15, 40])
def test_nobody_can_tell_when_what_is_hidden_is_exchanged(players: int, moves: int) -> None:
    table = positions(players, moves, games=8)
    twins, drawn = positions(players, moves, games=8), dice(moves)
    going_on = np.flatnonzero(~table.over)
    moved = 0
    for i in going_on:
        s = twins.states[i]
        exchange_tiles(s, drawn)
        order_pile(s, 0, drawn)
        moved += (s.pile != table.states[i].pile).any() or (s.draw != table.states[i].draw).any()
        assert (
            worth(s, table.template.parameters[0]) == worth(table.states[i], table.template.parameters[0])
        ).all()
        for seat in range(players):
            assert (twins.game(i).observe(seat) == table.game(i).observe(seat)).all()
    one, other = table.ask(going_on), twins.ask(going_on)
    assert (one.masks == other.masks).all() and (one.keys == other.keys).all()
    assert moved == len(going_on)


def test_a_value_that_peeked_would_be_noticed() -> None:
    # The tiles of a pile are no longer exchanged after a look, and the value reads them.
    table, read = positions(2, 30), 0
    box = table.template.parameters[0]
    for s in table.states[~table.over]:
        looked = [p for p in range(c.RING) if not is_hidden(s, p) and s.pile[p].sum() and not s.face_up[p]]
        before, shares = s.pile.copy(), worth(s, box)
        exchange_tiles(s, dice(3))
        assert all((s.pile[p] == before[p]).all() for p in looked)
        for p in looked:
            s.pile[p] = s.pile[p][::-1].copy()
        read += (worth(s, box) != shares).any()
    assert read


def test_every_exchange_of_tiles_is_as_likely() -> None:
    table = positions(2, 0, games=1)
    count, drawn = np.zeros((c.RING, c.KINDS)), dice(1)
    for _ in range(4000):
        exchange_tiles(table.states[0], drawn)
        assert (table.states[0].pile.sum(1) == c.PILE).all()
        count += table.states[0].pile
    tiles = table.template.parameters[0].tile_count.astype(int) / c.TILES
    mean = 4000 * c.PILE * tiles
    spread = np.sqrt(4000 * c.PILE * tiles * (1 - tiles) * (c.TILES - c.PILE) / (c.TILES - 1))
    assert (count.sum(0) == 4000 * c.TILES * tiles).all()
    assert abs((count - mean) / spread).max() < 4.5


@pytest.mark.parametrize("agent", ["greedy", "heuristic"])
def test_piles_that_are_looked_into_first_are_as_any_hidden_tiles(agent: str) -> None:
    table, one = BatchedGames(600, 2), make_agent(agent)
    prepare_agents([one], table.info)
    for i in range(table.count):
        table.deal(i, i)
    away, variance, looks = np.zeros(c.KINDS), np.zeros(c.KINDS), 0
    for _ in range(60):
        index = np.flatnonzero(~table.over)
        asked = table.ask(index)
        actions = one.act(asked.part(one, np.arange(len(index))))
        for i, action in zip(index, actions, strict=True):
            s = table.states[i]
            if not looks_first(s, action):
                continue
            hidden = np.array([is_hidden(s, p) for p in range(c.RING)])
            left = c.PILE * hidden.sum()
            share = s.pile[hidden].sum(0) / left
            away += s.pile[s.ship[s.player]] - c.PILE * share
            variance += c.PILE * share * (1 - share) * (left - c.PILE) / max(left - 1, 1)
            looks += 1
        table.step(index, actions)
    assert looks > 1000
    assert abs(away / np.sqrt(variance)).max() < 4


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("moves", [0, 20, 40])
def test_over_the_cards_that_may_come_chance_adds_up_to_nothing(players: int, moves: int) -> None:
    table = positions(players, moves)
    box, seen = table.template.parameters[0], 0
    for i in np.flatnonzero(~table.over):
        s = table.states[i]
        for bits in range(c.JUMP):
            if s.phase == 0 and s.draw_size > 0 and cards_drawn(s, box, bits) == 1:
                break
        else:
            continue
        total, spread = np.zeros(c.MAX_PLAYERS), 0.0
        for place in range(int(s.draw_size)):
            world, chance = table.states[i : i + 1].copy(), np.zeros(c.MAX_PLAYERS)
            order_pile(world[0], place, dice(place))
            move_chance(world[0], box, bits, NET, dice(0), table.spec.new_states(1), chance)
            total += chance
            spread += abs(chance).max()
        assert total[:players] == pytest.approx(np.zeros(players), abs=1e-5)
        seen += spread > 0.01
    assert seen


def test_over_piles_and_orders_chance_is_nothing_on_average() -> None:
    table, rng = positions(2, 7, games=120), np.random.default_rng(1)
    box, drawn, scratch = table.template.parameters[0], dice(5), table.spec.new_states(1)
    told: dict[str, list[float]] = {"cards": [], "looks": []}
    for i in np.flatnonzero(~table.over):
        mask = table.game(i).mask()
        moves = [*np.flatnonzero(mask[: c.JUMP])[-1:], *c.SCAN + np.flatnonzero(mask[c.SCAN : c.DEVELOP])[:1]]
        for action in (int(move) for move in moves if has_chance(table.states[i], box, int(move))):
            for _ in range(10):
                world, chance = table.states[i : i + 1].copy(), np.zeros(c.MAX_PLAYERS)
                exchange_tiles(world[0], drawn)
                order_pile(world[0], int(rng.integers(world[0].draw_size)), drawn)
                move_chance(world[0], box, action, NET, dice(0), scratch, chance)
                told["looks" if looks_first(world[0], action) else "cards"].append(chance[0])
                assert chance[:2].sum() == pytest.approx(0, abs=1e-9)
    for kind in told.values():
        assert len(kind) > 100
        assert abs(np.mean(kind)) < 4 * np.std(kind) / np.sqrt(len(kind))


def chance_of_games(players: int, games: int) -> np.ndarray:
    """The chance correction of games of `heuristic` in all seats, (games, seats)."""
    table, one = BatchedGames(games, players), make_agent("heuristic")
    prepare_agents([one], table.info)
    for i in range(games):
        table.deal(i, 50_000 + i)
    chance, index = np.zeros((games, players)), table.everyone
    while len(index):
        asked = table.ask(index)
        actions = one.act(asked.part(one, np.arange(len(index))))
        chance[index] += CORRECTION.of_draws(table, index, actions)
        table.step(index, actions)
        index = np.flatnonzero(~table.over)
    return chance


@pytest.mark.parametrize(("players", "games"), [(2, 250), (3, 120), (4, 80), (5, 60)])
def test_chance_of_whole_games_is_nothing_on_average(players: int, games: int) -> None:
    chance = chance_of_games(players, games)
    error = chance.std(0) / np.sqrt(games)
    assert (abs(chance.mean(0)) < 3.5 * error).all() and (error > 0.001).all()
    assert chance.sum(1) == pytest.approx(np.zeros(games), abs=1e-6)


def test_chance_correction_touches_no_game_and_is_the_same_again() -> None:
    table = positions(3, 25)
    index = np.flatnonzero(~table.over)
    actions = np.array([np.flatnonzero(table.game(i).mask())[-1] for i in index])
    before = table.states.tobytes()
    chance = CORRECTION.of_draws(table, index, actions)
    assert (CORRECTION.of_draws(table, index[::-1], actions[::-1])[::-1] == chance).all()
    assert table.states.tobytes() == before


def next_cards(states: np.ndarray) -> np.ndarray:
    """The deviation of how often each face is the next card, in standard deviations."""
    seen, mean, variance = np.zeros(c.CARDS), np.zeros(c.CARDS), np.zeros(c.CARDS)
    for s in states:
        size = int(s.draw_size)
        share = np.bincount(s.draw[:size], minlength=c.CARDS) / size
        seen[s.draw[size - 1]] += 1
        mean += share
        variance += share * (1 - share)
    there = variance > 5
    return (seen - mean)[there] / np.sqrt(variance[there])


def test_every_card_of_the_draw_pile_is_as_likely_to_be_the_next() -> None:
    for moves in (0, 30, 60):  # at the start, later, and after a shuffle
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


def test_known_action_probabilities_leave_no_chance_on_average() -> None:
    table = positions(3, 15)
    checked = 0
    for i in np.flatnonzero(~table.over).tolist():
        moves = np.flatnonzero(table.game(i).mask())
        probabilities = np.zeros((1, 101))
        probabilities[0, moves] = np.random.default_rng(i).dirichlet(np.ones(len(moves)))
        index = np.array([i])
        chance = [CORRECTION.of_choices(table, index, np.array([a]), probabilities)[0] for a in moves]
        assert probabilities[0, moves] @ np.array(chance) == pytest.approx(np.zeros(3), abs=1e-9)
        checked += abs(np.array(chance)).max() > 0.001
    assert checked


def test_the_hash_is_that_of_the_file() -> None:
    assert find_chance_correction("space_mission").digest == sha256(shipped_weights()).hexdigest()


if __name__ == "__main__":  # python -m tests.space_mission.test_chance_correction GAMES
    for number in (2, 3, 4, 5):
        all_chance = chance_of_games(number, int(sys.argv[1]))
        told = ", ".join(
            f"{100 * mean:+.2f} (± {100 * reach:.2f})"
            for mean, reach in zip(
                all_chance.mean(0), 1.96 * all_chance.std(0) / np.sqrt(len(all_chance)), strict=True
            )
        )
        print(f"{number} players, {len(all_chance)} games: mean by seat, in % of a win: {told}", flush=True)
