"""Computes the values of a probe's moves independently of agents' evaluations.

In the last turn of a game nobody moves after the player, so its moves can be searched to the end: in worlds
from `determinize`, split after each move by what the player then knows (expectimax over information sets).
Otherwise `greedy` plays the games to the end in all seats.
"""

import json

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured

from spacemission_agents.probing import Probe
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game import Game, make_game
from spacemission_env.games.space_mission.engine.constants import JUMP, OVER, TOTAL
from spacemission_env.games.space_mission.engine.scoring import score

MARGIN, WIN = 0, 1  # own total minus the best other total; share of a win


def state_toml(game: Game) -> str:
    """A position as the `state` of a hand-made probe: the fields that differ from its deal."""
    dealt, fields = make_game(game.spec, game.num_players), ""
    dealt.reset(game.seed)
    for name in game.spec.state.names:
        field = game.states[name]
        if field.tobytes() != dealt.states[name].tobytes():
            plain = structured_to_unstructured(field) if field.dtype.names else field
            fields += f"{name} = {json.dumps(plain[0].tolist(), separators=(',', ':'))}\n"
    return fields


def in_last_turn(probe: Probe) -> bool:
    """Whether the game ends with this player's turn."""
    s = probe.game.states[0]
    return bool(s.last_round) and (s.player + 1) % s.num_players == s.start_player


def candidates(game: Game) -> list[int]:
    """The legal moves, with only two top-ups: of no card and of the whole hand."""
    whole = (1 << int(game.states[0].hand_size[game.states[0].player])) - 1
    return [a for a in game.legal_actions() if a >= JUMP or a in (0, whole)]


def outcome(scores: np.ndarray, seat: int) -> tuple[float, float]:
    """Margin and win; a tie counts as half a win."""
    margin = int(scores[seat, TOTAL]) - int(np.delete(scores[:, TOTAL], seat).max())
    return margin, (margin > 0) + 0.5 * (margin == 0)


def searched(probe: Probe, measure: int, worlds: int = 12) -> dict[int, float]:
    """Value of each move in the last turn of a game."""
    seat = int(probe.game.states[0].player)
    drawn = [probe.game.determinize(seat, 1000 + i) for i in range(worlds)]
    moves = sorted({*candidates(probe.game), *probe.right})
    return {a: _after(drawn, a, seat, measure) for a in moves}


def _after(worlds: list[Game], action: int, seat: int, measure: int) -> float:
    known: dict[bytes, list[Game]] = {}
    for world in worlds:
        after = world.clone()
        after.step(action)
        key = b"over" if after.over else after.information_state_key(seat)
        known.setdefault(key, []).append(after)
    return sum(len(group) * _best(group, seat, measure) for group in known.values()) / len(worlds)


def _best(worlds: list[Game], seat: int, measure: int) -> float:
    if worlds[0].over:
        return float(np.mean([outcome(world.scores(), seat)[measure] for world in worlds]))
    return max(_after(worlds, action, seat, measure) for action in candidates(worlds[0]))


def played_on(probe: Probe, worlds: int = 400) -> dict[int, float]:
    """Mean margin after each move if `greedy` plays on in all seats, in the same worlds for each move."""
    game, agent = probe.game, make_agent("greedy")
    seat, moves = int(game.states[0].player), sorted({*candidates(game), *probe.right})
    games = BatchedGames(worlds * len(moves), game.num_players)
    for i in range(worlds):
        world = game.determinize(seat, 5000 + i)
        for j, action in enumerate(moves):
            after = world.clone()
            after.step(action)
            games.states[j * worlds + i] = after.states[0]
    index = games.everyone
    while len(index := index[games.states["phase"][index] != OVER]):
        asked = games.ask(index)
        games.step(index, act_alone(agent, asked))
    scores = np.zeros((len(games.states), game.num_players, 9), np.int64)
    for state, row in zip(games.states, scores, strict=True):
        score(state, game.t, row)
    margins = np.array([outcome(row, seat)[MARGIN] for row in scores]).reshape(len(moves), worlds)
    return dict(zip(moves, margins.mean(1), strict=True))
