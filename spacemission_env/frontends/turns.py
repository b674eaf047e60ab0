"""Plays many games: finds who must act, makes moves, pays learners, and deals again.

The learner's environments, self-play and the arena all drive this loop: they ask which games wait for an
agent, and make the moves of the seats that they control.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from itertools import pairwise
from math import inf
from typing import Self

import numpy as np

from spacemission_env.core.agents import (
    Agent,
    acts_in_parts,
    agent_name,
    answered,
    make_agent,
    parse_mixture,
    prepare_agents,
)
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import LEARNER, TRUNCATED
from spacemission_env.core.decisions import Decisions
from spacemission_env.core.errors import AgentError, IllegalActionError, SetupError, shown
from spacemission_env.core.failed import GiveUpOnError, give_up
from spacemission_env.core.game import Game
from spacemission_env.core.rng import hash63
from spacemission_env.frontends.shaping import Shaping
from spacemission_env.records.writer import Recording

MOST_DEALS = 1000  # maximum number of games in a row that may end before the learner's first turn


class Turns:
    """Games whose seats are played by agents, or by the user of this class.

    Attributes:
        games: the games.
        agents: the agents, prepared.
        who: for each seat, the index of its agent in `agents`, or LEARNER: int64 (games, seats).
        recording: the records of the games.
        moved: function that is called after each move, or None.
    """

    def __init__(
        self,
        games: BatchedGames,
        agents: Sequence[Agent],
        who: np.ndarray,
        recording: Recording | None = None,
    ) -> None:
        """The arguments are the attributes; deal the games before play."""
        self.games, self.who = games, who
        self.recording = recording or Recording()
        self.moved: Callable[[], object] | None = None
        self._take_agents(agents)
        self._make_room()

    def _take_agents(self, agents: Sequence[Agent]) -> None:
        self.agents = list(agents)
        self._look = any("observations" in agent.needs for agent in self.agents)
        # The agent, if there is only one, which reads no observations and keeps no arrays.
        one = self.agents[0] if len(self.agents) == 1 and acts_in_parts(self.agents[0]) else None
        self._blind = None if one is None or self._look or "whole_numbers" in one.needs else one

    def _make_room(self) -> None:
        count = self.games.count
        self._waiting, self._movers, self._keys = np.zeros((3, count), np.int64)
        self._masks = np.zeros((count, self.games.spec.action_count), np.int8)
        self._nothing = np.empty((count, 0), np.float32)

    def waiting(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The games of `index` in which an agent is to act, and the numbers of these agents.

        Both are buffers that the next call overwrites.
        """
        games, waiting, movers = self.games, self._waiting, self._movers
        count = games.spec.batch.waiting_batch(
            games.states, games.template.parameters, index, self.who, waiting, movers, self._masks, self._keys
        )
        return waiting[:count], movers[:count]

    def play(self, index: np.ndarray, actions: np.ndarray) -> int:
        """Make a move in each of these games; return how many games are over.

        Raises:
            IllegalActionError: names the game and the move; no game has moved.
        """
        if self.recording:
            self.games.check_moves(index, actions)
            for i, action in zip(index.tolist(), actions.tolist(), strict=True):
                self.recording.before(action, i)
        over = self.games.step(index, actions)
        if self.recording and over:
            for i in index[self.games.over[index]].tolist():
                self.recording.finish(i)
        if self.moved:
            self.moved()
        return over

    def play_on(self, index: np.ndarray) -> int:
        """Let the agents move in these games until no game waits for one; return how many ended."""
        over = 0
        while True:
            index, movers = self.waiting(index)
            if not len(index):
                return over
            if self._blind:
                actions = answered(self._blind, self._decisions(len(index)))
            else:
                actions = answers(self.agents, movers, self.games.ask(index, self._look))
            over += self.play(index, actions)

    def _decisions(self, count: int) -> Decisions:
        # The decisions that `waiting` found, for an agent that reads no observations.
        games = self.games
        seen = self._nothing[:count], self._masks[:count], self._keys[:count]
        return Decisions(*seen, parameters=games.template.parameters, game=games.spec.name)

    @property
    def can_be_parted(self) -> bool:
        """Whether several threads may play parts of these games at once."""
        return not self.recording and all(acts_in_parts(agent) for agent in self.agents)


class LearnerTurns(Turns):
    """Games with a learner in one seat and named agents in the others.

    The seed of each game determines the learner's seat and the opponents, the same in every front end. A
    learner gets its reward at its next decision, for its own move and the opponents' moves since.

    Attributes:
        opponents: the agents that may play the other seats.
        seats: the learner's seat in each game, int64 (games,).
        margins: the learner's score margin at its last decision, float32 (games,), if rewards are shaped.
        rewards: the learners' rewards in the last step, float64 (games,).
        terminated, truncated: which games ended in the last step, and how, bool (games,).
        ended: which games are over and not dealt again yet, bool (games,).
        lost: in which games the learner loses instead of moving, bool (games,); set this before `move`.
        rows: slice of these games in the whole batch, if they are a part of one (`parted`).
    """

    def __init__(
        self,
        games: BatchedGames,
        opponents: object = "random",
        seat: int | None = None,
        reward: str = "win",
        truncates: bool = False,
        shaping: Shaping | None = None,
        learner_name: str = "learner",
        record: object = None,
    ) -> None:
        """Arguments except `games` as for `LearnerEnv`; `truncates`: whether the round limit truncates."""
        self.opponents = Opponents(opponents, games.template)
        self.fixed_seat = check_seat(seat, games.num_players)
        self.reward_mode = games.spec.reward_mode(reward)
        self.truncates, self.shaping = truncates, shaping or Shaping()
        self.learner_name = check_learner_name(learner_name)
        count = games.count
        self.rows = slice(0, count)
        self.seats = np.zeros(count, np.int64)
        self.margins, self.rewards = np.zeros(count, np.float32), np.zeros(count)
        self.terminated, self.truncated, self.ended, self.lost = np.zeros((4, count), bool)
        who = np.full((count, games.num_players), LEARNER)
        super().__init__(games, self.opponents.agents, who, Recording(record))

    def replace_opponents(self, opponents: object) -> None:
        """From now on draw the opponents of new games from `opponents` (`Opponents.replace`)."""
        self.opponents.replace(opponents)
        self._take_agents(self.opponents.agents)

    def parted(self, parts: int) -> list[Self]:
        """Split these games into parts that share memory with the whole, each for its own thread."""
        if parts < 2:
            return [self]
        made = []
        for first, stop in pairwise(self.games.count * k // parts for k in range(parts + 1)):
            part = copy(self)
            part.games, part.rows = self.games.rows(first, stop), slice(first, stop)
            for name in ("seats", "margins", "rewards", "terminated", "truncated", "ended", "lost", "who"):
                setattr(part, name, getattr(self, name)[first:stop])
            part._make_room()
            made.append(part)
        return made

    def start(self, index: np.ndarray) -> None:
        """Seat the players in games just dealt, and play to the learner's first turn.

        If a game ends before that turn, the next game is dealt in its place.
        """
        waiting = index
        for _ in range(MOST_DEALS):
            self._seat(waiting)
            if not self.play_on(waiting):
                break
            waiting = waiting[self.games.over[waiting]]
            self.games.deal_next(waiting)
        else:
            raise SetupError(f"seat: the learner had no turn in {MOST_DEALS} games")
        self.ended[index] = False
        self._note_margins(index)

    def move(self, actions: np.ndarray) -> None:
        """Make each learner's move, except in games that have `ended` or are `lost`; call `go_on` next.

        Raises:
            IllegalActionError: names the game and the move; no game has moved.
        """
        moving = self.games.everyone
        if self.ended.any() or self.lost.any():
            moving = np.flatnonzero(~(self.ended | self.lost))
            actions = actions[moving]
        try:
            self._over = self.play(moving, actions)
        except IllegalActionError:
            raise
        except BaseException:
            give_up(self.games.states)
            raise
        self._moving = moving

    def go_on(self, dealing: Callable[[Self, np.ndarray], object] | None = None) -> None:
        """Let the agents move until the learner's next turn in each game or its end; pay the learners.

        Games that had `ended` before are dealt again. With `dealing`, so are the games that end now; before
        that, `dealing` is called with this object and the index of these games.
        """
        games, moving = self.games, self._moving
        with GiveUpOnError(games.states):
            stale = np.flatnonzero(self.ended)
            losing = self.lost.any()
            over = self._over + self.play_on(moving)
            self.rewards[:] = 0.0
            self.terminated[:] = self.truncated[:] = False
            if len(stale):
                self._deal_again(stale)
            if over or losing:
                self._end(moving)
            if self.shaping:
                self._shape(moving)
            if dealing and self.ended.any():
                ended = np.flatnonzero(self.ended)
                dealing(self, ended)
                self._deal_again(ended)

    def _deal_again(self, index: np.ndarray) -> None:
        self.games.deal_next(index)
        self.start(index)

    def _end(self, moved: np.ndarray) -> None:
        # Pay the learners whose games are over, and those that lose by an illegal move.
        how = self.games.states["over"][moved]
        over = moved[how != 0]
        if len(over):
            paid = np.zeros((len(over), self.games.num_players))
            batch, parameters = self.games.spec.batch, self.games.template.parameters
            batch.rewards_batch(self.games.states, parameters, over, self.reward_mode, paid)
            self.rewards[over] = paid[np.arange(len(over)), self.seats[over]]
            self.truncated[over] = (how[how != 0] == TRUNCATED) & self.truncates
            self.terminated[over] = ~self.truncated[over]
        self.rewards[self.lost] = -1.0
        self.terminated |= self.lost
        self.ended[:] = self.terminated | self.truncated

    def _shape(self, moved: np.ndarray) -> None:
        index = np.flatnonzero(self.lost)
        index = moved if not len(index) else np.sort(np.concatenate([moved, index]))
        before = self.margins[index]
        self._note_margins(index)
        self.rewards[index] += self.shaping.paid(before, self.margins[index], self.terminated[index])

    def _note_margins(self, index: np.ndarray) -> None:
        if self.shaping:
            self.margins[index] = self.games.margins(index, self.seats[index])

    def _seat(self, index: np.ndarray) -> None:
        # The seed of each game determines the learner's seat and the opponents.
        n = self.games.num_players
        for i in index.tolist():
            seed = int(self.games.states[i]["seed"])
            seat = learner_seat(self.fixed_seat, seed, n)
            drawn = self.opponents.draw(seed)
            self.seats[i] = seat
            row = [LEARNER, *drawn]
            self.who[i] = row[n - seat :] + row[: n - seat]
            if self.recording:
                self.recording.start(
                    self.games.game(i), self.opponents.recorded(self.learner_name, seat, drawn), i
                )


def answers(
    agents: Sequence[Agent],
    who: np.ndarray,
    decisions: Decisions,
    names: Sequence[str] | None = None,
) -> np.ndarray:
    """The action of `agents[who[row]]` for each row.

    Each agent decides in one batch. `names`: the agents' names in messages. AgentError: an agent fails, or
    does not return integers.
    """
    actions = np.zeros(len(decisions), np.int64)
    for number, agent in enumerate(agents):
        rows = np.flatnonzero(who == number)
        if len(rows):
            own, name = decisions.part(agent, rows), names[number] if names else None
            actions[rows] = answered(agent, own, name)
    return actions


# ---------------------------------------------------------------- opponents

# Hashed with a game's seed: the first to sample the learner's seat, the second the opponents from mixtures.
SEAT_STREAM, MIXTURE_STREAM = 0x5EA7, 0x3117


class Opponents:
    """Holds the agents that may play the other seats; samples by a game's seed which of them play.

    Attributes:
        agents: the agents without repeats: equal names share one agent, so that it decides in one batch.
        names: their names in records.
    """

    def __init__(self, given: object, game: Game) -> None:
        """Make and prepare the agents of `given` (see `replace`) for games like `game`."""
        self._game = game
        self._made: dict[object, int] = {}
        self._seats: list[tuple[list[int], np.ndarray]] = []  # for each seat, agents and cumulative shares
        self.agents: list[Agent] = []
        self.names: list[str] = []
        self.replace(given)

    def replace(self, given: object) -> None:
        """Draw from the opponents `given` from now on; earlier agents keep their numbers.

        Args:
            given: one agent for all other seats, or a list of num_players - 1, clockwise from the learner.
                Each is an argument of `make_agent`, or a mixture: text such as "greedy=0.5,random=0.5", or a
                mapping from agents to shares.

        Raises:
            AgentError: a name is wrong, or an agent refuses the game; nothing has changed.
        """
        others = self._game.num_players - 1
        if isinstance(given, str | Agent | Mapping) or callable(given):
            given = [given] * others
        if not isinstance(given, Sequence) or len(given) != others:
            raise AgentError(f"opponents: expected one agent, or a list of {others}, not {shown(given)}")
        made, agents, names, seats = dict(self._made), list(self.agents), list(self.names), []
        for one in given:
            numbers, shares = [], _shares(one)
            for agent in shares:
                key = agent if isinstance(agent, str) else id(agent)
                if key not in made:
                    made[key] = len(agents)
                    agents.append(make_agent(agent, self._game.spec))
                    names.append(agent_name(agent))
                numbers.append(made[key])
            seats.append((numbers, np.cumsum(list(shares.values()))))
        prepare_agents(agents[len(self.agents) :], self._game.info)
        self._made, self.agents, self.names, self._seats = made, agents, names, seats

    def draw(self, game_seed: int) -> list[int]:
        """Indices of the agents in the game of a seed, clockwise from the learner; the same everywhere."""
        drawn = []
        for seat, (numbers, edges) in enumerate(self._seats):
            where = hash63(game_seed, MIXTURE_STREAM, seat) / 2**63 * edges[-1]
            drawn.append(numbers[min(int(np.searchsorted(edges, where, "right")), len(numbers) - 1)])
        return drawn

    def recorded(self, learner: str, seat: int, drawn: Sequence[int]) -> list[str]:
        """Names by seat for the record of a game in which the learner has `seat`."""
        names = [learner, *(self.names[number] for number in drawn)]
        return [names[(at - seat) % len(names)] for at in range(len(names))]


def _shares(given: object) -> Mapping[object, float]:
    # The agents that may play one seat, and their shares.
    if isinstance(given, Mapping):
        numbers = [type(share) in (int, float) and 0 <= share < inf for share in given.values()]
        if not all(numbers) or not sum(given.values()) > 0:
            raise AgentError(f"opponents: expected shares of at least 0, not {shown(list(given.values()))}")
        return given
    if isinstance(given, str) and "=" in given:
        return dict[object, float](parse_mixture(given).items())
    return {given: 1.0}


def check_learner_name(name: object) -> str:
    """The learner's name in records; AgentError if it is not printable."""
    if not isinstance(name, str) or not name.isprintable():
        raise AgentError(f"learner_name: expected printable text, not {shown(name)}")
    return name


def check_seat(seat: object, num_players: int) -> int | None:
    """The learner's seat, or None for a random one each game."""
    if seat is None or (type(seat) is int and 0 <= seat < num_players):
        return seat
    raise SetupError(f"seat: expected None or 0 to {num_players - 1}, not {shown(seat)}")


def learner_seat(seat: int | None, game_seed: int, num_players: int) -> int:
    """The learner's seat in the game of a seed: fixed, or random but equal in every front end."""
    return int(hash63(game_seed, SEAT_STREAM, 0)) % num_players if seat is None else seat
