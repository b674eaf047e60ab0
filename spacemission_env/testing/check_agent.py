"""Finds an agent's illegal moves, and moves that depend on other games or hidden pieces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spacemission_env.core.agents import Agent, agent_names, make_agent, prepare_agents
from spacemission_env.core.arguments import check_seed
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.decisions import Decisions
from spacemission_env.core.errors import AgentError, failure, printable
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game

POSITIONS = 200  # default number of positions, for each number of players
GAMES, EVERY = 9, 9  # games at a time; the agent is asked once in so many steps of these games
AGAIN = 5  # at the end the agent is asked again about this many of the first batches
LONGEST = 250  # maximum number of characters of a problem


def check_agent(
    agent: object,
    game: str | GameSpec = DEFAULT_GAME,
    *,
    players: int | None = None,
    rules: object = None,
    positions: int = POSITIONS,
    seed: int = 0,
) -> list[str]:
    """Ask an agent in many positions; return one line per problem, at most one of each kind.

    Its moves must be legal and depend only on what the acting seat may know and on the decision's key, which
    seeds its random choices. So it must play the same in every order of a batch, alone, when asked again, in
    a game that the seat cannot tell from the true one, and as a second agent of this name.

    Args:
        agent: as for `make_agent`: "greedy", "module:Class", an agent or a function.
        game: which game.
        players: number of players; None: each that the game allows.
        rules: a preset or options; None: the rules of the printed game.
        positions: in how many positions the agent is asked, for each number of players.
        seed: seed of the first game.

    Raises:
        AgentError: the agent cannot be made, or does not play this game.
        SetupError: no such game is installed.
    """
    spec, first = find_game(game), check_seed(seed)
    numbers = range(spec.min_players, spec.max_players + 1) if players is None else [players]
    found: dict[str, str] = {}
    for number in numbers:
        games = BatchedGames(GAMES, number, rules=rules, game=spec)
        pair = [make_agent(agent, spec) for _ in range(2)]
        prepare_agents(pair, games.info)
        try:
            for kind, problem in _problems(pair, games, positions, first):
                found.setdefault(kind, _line(number, problem))
        except Exception as error:  # an agent may raise anything
            found.setdefault("failed", _line(number, failure(error)))
    return list(found.values())


def _line(players: int, problem: str) -> str:
    return printable(" ".join(f"{players} players: {problem}".split()))[:LONGEST]


def _problems(pair: list[Agent], games: BatchedGames, positions: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each problem; raise what the agent raises."""
    agent, other = pair
    asked_in, rng, earlier = 0, np.random.default_rng(seed), list[np.ndarray]()
    for index in played_positions(games, seed):
        asked = games.ask(index).part(agent, np.arange(len(index)))
        before = _bytes(asked)
        moves = np.asarray(agent.act(asked))
        if _bytes(asked) != before:
            yield "changed", "it changed the arrays of its decisions"
            return
        if wrong := _wrong(asked, moves):
            yield "illegal", wrong
            return
        order = rng.permutation(len(index))
        for kind, rows in ("in another order of the batch", order), ("alone", order[:1]):
            yield from _compare(kind, moves[rows], _asked_again(other, games, index, rows))
        twins = _in_twins(agent, games, index, rng)
        yield from _compare("in a game that its seat cannot tell from this one", moves, twins)
        if len(earlier) < AGAIN:
            earlier.append(moves)
        asked_in += len(index)
        if asked_in >= positions:
            break
    for moves, index in zip(earlier, played_positions(games, seed), strict=False):
        again = _asked_again(agent, games, index, np.arange(len(index)))
        yield from _compare("when asked again after other games", moves, again)


def played_positions(games: BatchedGames, seed: int) -> Iterator[np.ndarray]:
    """Play game after game by the game's `greedy`, if it has one, with some random moves; never end.

    Yields the index of the running games, (n,), in the first four steps and then every `EVERY` steps.
    """
    name = games.spec.name
    walkers = [make_agent(one, name) for one in ("random", "greedy") if one in agent_names(name)]
    while True:
        for i in range(games.count):
            games.deal(i, seed + i)
        step = 0
        while len(index := np.flatnonzero(~games.over)):
            if step < 4 or step % EVERY == 0:
                yield index
            asked, rows = games.ask(index), np.arange(len(index))
            moves = [walker.act(asked.part(walker, rows)) for walker in walkers]
            games.step(index, np.where(asked.keys % 5 < 2, moves[0], moves[-1]))
            step += 1
        seed += games.count


def _asked_again(agent: Agent, games: BatchedGames, index: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.asarray(agent.act(games.ask(index).part(agent, rows)))


def _in_twins(agent: Agent, games: BatchedGames, index: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The agent's moves in determinizations of the running games."""
    true = games.states.copy()
    try:
        for i in index:
            twin = games.game(i).determinize(int(true[i]["player"]), int(rng.integers(2**62)))
            games.states[i] = twin.states[0]
        return _asked_again(agent, games, index, np.arange(len(index)))
    finally:
        games.states[:] = true


def _bytes(asked: Decisions) -> list[bytes]:
    parts = asked.observations, asked.masks, asked.keys, asked.worlds
    return [part.tobytes() for part in parts if part is not None]


def _wrong(asked: Decisions, moves: np.ndarray) -> str:
    if moves.shape != (len(asked),) or not np.issubdtype(moves.dtype, np.integer):
        return f"act: expected {len(asked)} integers, got {moves.dtype} of shape {moves.shape}"
    inside = (moves >= 0) & (moves < asked.masks.shape[1])
    legal = inside & (asked.masks[np.arange(len(moves)), np.where(inside, moves, 0)] > 0)
    return "" if legal.all() else f"action {moves[~legal][0]} is not legal"


def _compare(kind: str, moves: np.ndarray, again: np.ndarray) -> Iterator[tuple[str, str]]:
    if again.shape != moves.shape:
        raise AgentError(f"act: expected {len(moves)} actions, got shape {again.shape}")
    different = np.flatnonzero(again != moves)
    if len(different):
        at = different[0]
        yield kind, f"it plays {moves[at]}, but {again[at]} {kind}"
