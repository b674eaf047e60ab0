"""Games for one process, played side by side to the end: a `Job`, and the `Results` of it.

A game's result depends on its seed and its line-up alone, for an agent draws all its chance from the
decisions' keys. So jobs and worker processes change the time and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spacemission_agents.arena.labels import agent_spec
from spacemission_env.core.agents_api import Agent, Decisions, make_agent, prepare_agents
from spacemission_env.core.answers import agent_name, answered
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import TRUNCATED
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import DEFAULT_GAME, Components, Rules
from spacemission_env.core.masks import first_illegal
from spacemission_env.records.writer import GameRecord, RecordWriter


@dataclass(frozen=True)
class Results:
    """What came of some games, one a row.

    Attributes:
        lineups: agent index by seat, int64 (games, seats).
        seeds: what each game was dealt from, int64 (games,).
        scores: by the game's `score_names`, int64 (games, seats, categories).
        winners: bool (games, seats); several True where the win is shared, none where nobody won.
        decisions: made by each seat, int32 (games, seats).
        rounds: int16 (games,).
        truncated: bool (games,), ended by the round limit.
        ranking: a number that ranks the seats of a game, int64 (games, seats): larger is better.
    """

    lineups: np.ndarray
    seeds: np.ndarray
    scores: np.ndarray
    winners: np.ndarray
    decisions: np.ndarray
    rounds: np.ndarray
    truncated: np.ndarray
    ranking: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """Share of the win, float64 (games, seats): 1 / winners for each winner, else 0."""
        return self.winners / np.maximum(1, self.winners.sum(1, keepdims=True))


@dataclass(frozen=True)
class Job:
    """Games to be played side by side: everything a worker process needs.

    Attributes:
        agents: specs with their labels, or agents.
        lineups, seeds: as in `Results`.
        first: number of the first game.
        game: name of what is played.
    """

    agents: tuple[str | Agent, ...]
    lineups: np.ndarray
    seeds: np.ndarray
    rules: Rules
    components: Components
    first: int
    game: str = DEFAULT_GAME


def play_job(
    job: Job, record: RecordWriter | None = None, ended: Callable[[Game], None] | None = None
) -> Results:
    """Play a job to the end, with agents made anew for it; `ended` is called with each game then."""
    agents = [make_agent(agent_spec(agent), job.game) for agent in job.agents]
    count, seats = job.lineups.shape
    games = BatchedGames(count, seats, job.rules, job.components, game=job.game)
    prepare_agents(agents, games.info)
    for i, seed in enumerate(job.seeds):
        games.deal(i, int(seed))
    records = [_record(games, job, i) for i in range(count)] if record else []
    decisions = np.zeros((count, seats), np.int32)
    index = games.everyone
    while len(index):
        players = games.players[index]
        asked = games.ask(index)
        actions = _answers(agents, job, games, index, asked)
        decisions[index, players] += 1
        if record:
            for place, action in zip(index, actions, strict=True):
                records[place].before(int(action))
        games.step(index, actions, asked.masks)
        index = index[games.states["over"][index] == 0]
    if record:
        for i, one in enumerate(records):
            one.finish()
            record.add(one, job.first + i)
    if ended:
        for i in range(count):
            ended(games.game(i))
    return _results(games, job, decisions)


def _record(games: BatchedGames, job: Job, i: int) -> GameRecord:
    return GameRecord(games.game(i), [agent_name(job.agents[a]) for a in job.lineups[i]])


def _answers(
    agents: list[Agent], job: Job, games: BatchedGames, index: np.ndarray, asked: Decisions
) -> np.ndarray:
    actions = np.zeros(len(index), np.int64)
    to_act = job.lineups[index, games.players[index]]
    for a in np.unique(to_act):
        rows = np.flatnonzero(to_act == a)
        name = agent_name(job.agents[a])
        actions[rows] = answered(agents[a], asked.part(agents[a], rows), name)
        wrong = first_illegal(asked.masks[rows], actions[rows])
        if wrong >= 0:
            i = int(index[rows[wrong]])
            why = games.game(i).why_illegal(int(actions[rows[wrong]]))
            raise AgentError(f"agent {name!r}: game {job.first + i} (seed {job.seeds[i]}): {why}")
    return actions


def outcome(games: BatchedGames, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores int64 (n, seats, categories) and ranks int64 (n, seats) of the games of `index`."""
    spec, boxes = games.spec, games.template.boxes
    scores = np.zeros((len(index), games.num_players, len(spec.score_names)), np.int64)
    ranks = np.zeros(scores.shape[:2], np.int64)
    spec.batch.scores_batch(games.states, boxes, index, scores)
    spec.batch.ranks_batch(games.states, boxes, index, ranks)
    return scores, ranks


def _results(games: BatchedGames, job: Job, decisions: np.ndarray) -> Results:
    scores, ranks = outcome(games, games.everyone)
    return Results(
        lineups=job.lineups,
        seeds=job.seeds,
        scores=scores,
        winners=games.spec.winners(ranks, games.states["over"]),
        decisions=decisions,
        rounds=games.states["round_number"].copy(),
        truncated=games.states["over"] == TRUNCATED,
        ranking=ranks,
    )
