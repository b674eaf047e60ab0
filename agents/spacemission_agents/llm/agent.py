"""Defines `llm:MODEL`: a language model in a seat, asked in text, its answers kept on disk."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

import numpy as np

from spacemission_agents.llm.chat import Chat, Reply
from spacemission_agents.llm.options import (
    DEFAULT_URL,
    KEY,
    MOST_COST,
    MOST_TOKENS,
    NULL,
    TRANSCRIPTS,
    URL,
    read_options,
    read_purse,
)
from spacemission_agents.llm.store import Place, Store, digest_of
from spacemission_env.core.agents import Agent, Decisions, GameInfo
from spacemission_env.core.errors import AgentError, StopError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec
from spacemission_env.core.reading import Json
from spacemission_env.core.rng import hash63
from spacemission_env.texts.seat import Illegal, Move, TextSeat

SALT = 0x11F  # so that `llm:null` does not play the moves of `random`


class LlmAgent(Agent):
    """Asks a language model, or with `llm:null` nobody: `llm:MODEL?illegal=retry:2&names=neutral`."""

    for_players = "A language model. It needs a server and a key of your own."
    takes_game = wants_games = True
    reads_observations = False
    seconds_per_decision = math.inf  # it times its own questions
    _chat: Chat | None = None
    _store: Store | None = None

    def __init__(self, parameter: str | None = None, game: str | GameSpec = DEFAULT_GAME) -> None:
        """`parameter`: `MODEL?option=value&…` (`Options`); AgentError if it is wrong, or a key is missing."""
        super().__init__()
        self.options = read_options(parameter)
        self.games_at_once = self.options.at_once
        self._purse = read_purse()
        self.__name__ = f"llm:{parameter}"
        if self.options.model != NULL and not (os.environ.get(KEY) or os.environ.get(URL)):
            raise AgentError(f"agent {self.__name__!r}: set {KEY}, or {URL} for a server without a key")

    def prepare(self, info: GameInfo) -> None:
        """Open the transcripts and the connection."""
        self.close()
        self._store = Store(os.environ.get(TRANSCRIPTS) or None)
        if self.options.model != NULL:
            url, key, of = os.environ.get(URL) or DEFAULT_URL, os.environ.get(KEY), self.options
            self._chat = Chat(url, key, of.timeout, of.tries, of.at_once)

    def act(self, decisions: Decisions) -> np.ndarray:
        """Ask about all rows at once: int64 (n,).

        Raises:
            StopError: the server fails or the budget is spent; what was answered is on disk.
            AgentError: a model has given no legal move.
        """
        if decisions.games is None or self._store is None:
            raise AgentError(f"agent {self.__name__!r}: it is told of the game too; use agent.play(game)")
        rows = [self._row(decisions, row) for row in range(len(decisions))]
        # Line-ups with one deal may come to one question: it is asked once.
        different = {(row.place, digest_of(row.messages)): row for row in rows}
        rows = [different[row.place, digest_of(row.messages)] for row in rows]
        pool = ThreadPoolExecutor(max(1, min(self.options.at_once, len(different))))
        try:
            answers = [pool.submit(row.decide) for row in different.values()]
            wait(answers, return_when=FIRST_EXCEPTION)
            for answer in answers:
                answer.cancel()  # after a failure nothing new is asked, and what is under way is kept
            wait(answers)
            for error in [answer.exception() for answer in answers if not answer.cancelled()]:
                if error is not None:
                    raise error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        for row in rows:
            if row.action is None:
                raise AgentError(f"agent {self.__name__!r}: player_{row.place.seat}: {row.fault}")
        return np.array([row.action for row in rows], np.int64)

    def _row(self, decisions: Decisions, row: int) -> _Row:
        assert decisions.games is not None
        game, of = decisions.games(row), self.options
        history = () if decisions.history is None else decisions.history(row)
        names = "own" if of.names is None else "neutral"
        seat = TextSeat(game, int(game.states[0].player), names, of.names or 0, history)
        return _Row(self, game, seat, int(decisions.keys[row]))

    def asked(self, messages: Sequence[dict[str, str]]) -> Json:
        """The body of a question."""
        body: Json = {"model": self.options.model, "messages": list(messages)}
        if self.options.temperature is not None:
            body["temperature"] = self.options.temperature
        if self.options.tokens is not None:
            body["max_completion_tokens"] = self.options.tokens
        return body

    def answer(self, row: _Row, messages: Sequence[dict[str, str]]) -> str:
        """The answer on disk, or a new one, which is on disk when this returns."""
        assert self._store is not None
        body = self.asked(messages)
        digest = digest_of(body)
        known = self._store.get(row.place, digest)
        if known is not None:
            return known
        if self._chat is None:
            reply = Reply(row.random_answer())
        else:
            self._check_purse(self._store)
            reply = self._chat.ask(body)
        cost = reply.cost
        if cost is None:
            cost = self._purse.price(reply.prompt_tokens, reply.answer_tokens)
        found = row.seat.parse(reply.text)
        outcome = found.text if isinstance(found, Move) else f"{type(found).__name__.lower()}: {found.reason}"
        return self._store.put(row.place, digest, self.__name__, messages, reply, outcome, cost)

    def _check_purse(self, store: Store) -> None:
        if self._purse.tokens is None and self._purse.cost is None:
            return
        tokens, cost = store.spent()
        limits = (MOST_TOKENS, tokens, self._purse.tokens), (MOST_COST, cost, self._purse.cost)
        for name, spent, most in limits:
            if most is not None and spent >= most:
                used = f"{spent:g} of {name}={most:g} is spent"
                raise StopError(f"agent {self.__name__!r}: {used}; raise it and resume")

    def close(self) -> None:
        """End the connection; close the transcripts."""
        if self._chat is not None:
            self._chat.close()
        if self._store is not None:
            self._store.close()
        self._chat = self._store = None


class _Row:
    """One decision: the conversation until a legal move, or until the retries are used up."""

    def __init__(self, agent: LlmAgent, game: Game, seat: TextSeat, key: int) -> None:
        self.agent, self.seat, self.key = agent, seat, key
        self.place = Place(game.seed, seat.seat, int(game.states[0].decisions))
        self.action: int | None = None
        self.fault = ""
        of = agent.options
        prompt = seat.prompt("all" if of.history is None else of.history, of.budget)
        if of.legal:
            prompt += "\nLegal moves:\n" + "\n".join(seat.legal_moves()) + "\n"
        self.messages = [
            {"role": "system", "content": seat.rules(of.rules)},
            {"role": "user", "content": prompt},
        ]

    def decide(self) -> None:
        """Ask until there is a legal move, as often as the options allow."""
        for _ in range(self.agent.options.retries + 1):
            said = self.agent.answer(self, self.messages)
            found = self.seat.parse(said)
            if isinstance(found, Move):
                self.action = found.action
                return
            kind = "illegal move" if isinstance(found, Illegal) else "unreadable answer"
            self.fault = f"{kind}: {found.reason}"
            self.messages = [
                *self.messages,
                {"role": "assistant", "content": said},
                {"role": "user", "content": self.seat.retry_text(said)},
            ]

    def random_answer(self) -> str:
        """A random legal move in the form that is asked for; the decision's key draws it."""
        moves = self.seat.legal_moves()
        return json.dumps({"move": moves[int(hash63(self.key, SALT, 0)) % len(moves)]})
