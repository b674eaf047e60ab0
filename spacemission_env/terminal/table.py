"""A game between people at one terminal and agents."""

from __future__ import annotations

from collections.abc import Sequence

from spacemission_env.core.agents_api import Agent
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game import Game
from spacemission_env.records.writer import GameRecord, RecordWriter
from spacemission_env.terminal.choosing import QUIT, choose
from spacemission_env.terminal.film import SHUFFLED
from spacemission_env.terminal.screen import Screen


class Table:
    """One game; whoever sits at the terminal is shown what the own seat may know, and nothing else.

    Attributes:
        game: just reset.
        names: by seat.
        agents: by seat; None where a person sits.
    """

    def __init__(
        self, game: Game, names: Sequence[str], agents: Sequence[Agent | None], screen: Screen
    ) -> None:
        """Sit down."""
        self.game, self.names, self.agents, self._screen = game, list(names), list(agents), screen
        self._record = GameRecord(game, self.names)
        self._people = [seat for seat, agent in enumerate(self.agents) if agent is None]
        self._logs: list[list[str]] = [[] for _ in self.agents]  # by seat, as it saw the moves
        self._read = [0] * len(self.agents)  # how much of it the person has been shown
        self._last: int | None = None  # the person who was asked last

    def play(self, writer: RecordWriter) -> bool:
        """Play to the end, or until a person stops; what was played is written, however it ends.

        Returns:
            Whether the game is over.

        Raises:
            AgentError: an agent failed, or made a move that is not legal.
        """
        try:
            while not self.game.over:
                action = self._decide()
                if action == QUIT:
                    return False
                self._make(action)
            self._record.finish()
            self._end()
            return True
        finally:
            writer.add(self._record)

    def _decide(self) -> int:
        seat = int(self.game.states[0].player)
        agent = self.agents[seat]
        if agent is not None:
            action = agent.play(self.game)
            why = self.game.why_illegal(action)
            if why:
                raise AgentError(f"agent {self.names[seat]!r}: {why}")
            return action
        return self._ask(seat)

    def _ask(self, seat: int) -> int:
        if seat != self._last and len(self._people) > 1 and not self._hand_over(seat):
            return QUIT
        self._last = seat

        def table() -> None:
            self._screen.say()
            self._screen.say(self.game.spec.text.board(self.game, seat))

        self._tell_news(seat)
        table()
        return choose(self._screen, self.game, table, self._logs[seat])

    def _hand_over(self, seat: int) -> bool:
        """Let the next person come to the terminal with nothing of the last one's on it; False: stop."""
        if self._last is not None:
            self._screen.clear()
        answer = self._screen.ask(
            f"player_{seat} ({self.names[seat]}) is next: press Enter when you are there "
        )
        return answer is not None and answer not in ("q", "quit")

    def _tell_news(self, seat: int) -> None:
        news = self._logs[seat][self._read[seat] :]
        self._read[seat] = len(self._logs[seat])
        if news:
            self._screen.say("\n" + "\n".join(news))

    def _make(self, action: int) -> None:
        game, shuffles = self.game, self.game.shuffles
        for seat, log in enumerate(self._logs):
            log.append(f"round {game.rounds}: {game.words(action, seat)}")
        self._record.before(action)
        game.step(action)
        if game.shuffles > shuffles:
            for log in self._logs:
                log.append(SHUFFLED)

    def _end(self) -> None:
        if len(self._people) == 1:
            self._tell_news(self._people[0])
        over = f"The game is {self.game.reason} after {self.game.rounds} rounds."
        self._screen.say(f"\n{over}\n\n{self.game.spec.text.result_words(self.game, self.names)}")
