"""Defines the agent `llm:MODEL`, which asks a language model in text and stores its answers."""

from __future__ import annotations

import json
import math
import os
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace

import numpy as np

from spacemission_agents.llm import options as o
from spacemission_agents.llm.chat import Chat, Reply
from spacemission_agents.llm.store import Messages, Store, digest_of
from spacemission_env.core.agents import Agent, Decisions, GameInfo
from spacemission_env.core.errors import AgentError, StopError
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec
from spacemission_env.core.reading import Json
from spacemission_env.core.rng import hash63
from spacemission_env.texts.seat import Illegal, Move, TextSeat

SALT = 0x11F  # so that `llm:null` does not play the moves of `random`


class LlmAgent(Agent):
    """Asks a language model: `llm:MODEL?illegal=retry:2&names=neutral`; `llm:null` moves at random."""

    for_players = "A language model. It needs a server and a key of your own."
    needs = {"games"}
    seconds_per_decision = math.inf  # the agent limits the time of its questions itself
    _chat: Chat | None = None
    _store: Store | None = None

    def __init__(self, parameter: str | None = None, game: str | GameSpec = DEFAULT_GAME) -> None:
        """`parameter`: `MODEL?option=value&…` (`Options`); AgentError if it is wrong, or a key is missing."""
        super().__init__()
        self.options = o.read_options(parameter)
        self.games_at_once = self.options.at_once
        self.most_tokens, self.most_cost, *self._prices = o.spending()
        self.__name__ = f"llm:{parameter}"
        self._asks_nobody = self.options.model == o.NULL
        if not (self._asks_nobody or os.environ.get(o.KEY) or os.environ.get(o.URL)):
            raise AgentError(f"agent {self.__name__!r}: set {o.KEY}, or {o.URL} for a server without a key")

    def prepare(self, info: GameInfo) -> None:
        """Make the connection."""
        self.close()
        if not self._asks_nobody:
            url, key = os.environ.get(o.URL) or o.DEFAULT_URL, os.environ.get(o.KEY)
            self._chat = Chat(url, key, self.options.timeout, self.options.at_once)

    def act(self, decisions: Decisions) -> np.ndarray:
        """Ask about all rows at once; return their actions, int64 (n,).

        Raises:
            StopError: the server fails or the budget is spent; the answers so far are stored.
            AgentError: a model has given no legal move.
        """
        if decisions.games is None:
            raise AgentError(f"agent {self.__name__!r}: it is told of the game too; use agent.play(game)")
        self._store = self._store or Store(os.environ.get(o.TRANSCRIPTS) or None)
        rows = [_Row(self, decisions, row) for row in range(len(decisions))]
        # Line-ups that play the same deal can lead to the same question, which is asked only once.
        different = {row.question: row for row in rows}
        with ThreadPoolExecutor(max(1, min(self.options.at_once, len(different)))) as pool:
            asked = [pool.submit(row.decide) for row in different.values()]
            try:
                wait(asked, return_when=FIRST_EXCEPTION)
            finally:  # after a failure or Ctrl-C, ask nothing new, but store the answers under way
                for one in asked:
                    one.cancel()
        for one in asked:
            if not one.cancelled():
                one.result()
        chosen = [different[row.question] for row in rows]
        for row in chosen:
            if row.action is None:
                raise AgentError(f"agent {self.__name__!r}: player_{row.seat.seat}: {row.fault}")
        return np.array([row.action for row in chosen], np.int64)

    def answer(self, row: _Row, messages: Messages) -> str:
        """Return the stored answer; if there is none, ask for one and store it first."""
        assert self._store is not None
        of = self.options
        body: Json = {"model": of.model, "messages": messages}
        settings = {"temperature": of.temperature, "max_completion_tokens": of.tokens}
        body |= {name: value for name, value in settings.items() if value is not None}
        digest = digest_of(body)
        if self._store.get(row.place, digest) is None:
            reply = Reply(row.random_answer()) if self._chat is None else self._paid(self._chat, body)
            found = row.seat.parse(reply.text)
            outcome = found.text if isinstance(found, Move) else f"{type(found).__name__}: {found.reason}"
            self._store.put(row.place, digest, self.__name__, messages, reply, outcome)
        said = self._store.get(row.place, digest)
        assert said is not None
        return said

    def _paid(self, chat: Chat, body: Json) -> Reply:
        """Ask for a new answer; return it with its cost. StopError: the budget is spent."""
        assert self._store is not None
        if self.most_tokens < 1e15 or self.most_cost < 1e15:
            tokens, cost = self._store.spent()
            if tokens >= self.most_tokens or cost >= self.most_cost:
                spent = f"{tokens:,.0f} tokens and ${cost:.4f} are spent ({o.TOKENS}, {o.COST})"
                raise StopError(f"agent {self.__name__!r}: {spent}; raise the limit and resume")
        reply = chat.ask(body)
        if reply.cost is not None:
            return reply
        prompt, answer = self._prices
        cost = (prompt * reply.prompt_tokens + answer * reply.answer_tokens) / 1e6
        return replace(reply, cost=cost)

    def close(self) -> None:
        """End the connection; close the store of answers."""
        for one in (self._chat, self._store):
            if one is not None:
                one.close()
        self._chat = self._store = None


class _Row:
    """The conversation about one decision, until a legal move or until the retries are used up."""

    def __init__(self, agent: LlmAgent, decisions: Decisions, row: int) -> None:
        assert decisions.games is not None
        self._agent, self._key, of = agent, int(decisions.keys[row]), agent.options
        game = decisions.games(row)
        seat, decision = int(game.states[0].player), int(game.states[0].decisions)
        history = () if decisions.history is None else decisions.history(row)
        self.seat = TextSeat(game, seat, of.names.partition(":")[0], of.names_seed, history)
        prompt = self.seat.prompt("all" if of.history is None else of.history, of.budget)
        if of.legal == "yes":
            prompt += "\nLegal moves:\n" + "\n".join(self.seat.legal_moves()) + "\n"
        self._messages = [("system", self.seat.rules(of.rules)), ("user", prompt)]
        self.place = game.seed, seat, decision
        self.question = self.place, prompt
        self.action: int | None = None
        self.fault = ""

    def decide(self) -> None:
        """Ask until the model gives a legal move or has no retries left; note its last fault."""
        for _ in range(self._agent.options.retries + 1):
            messages = [{"role": role, "content": text} for role, text in self._messages]
            said = self._agent.answer(self, messages)
            found = self.seat.parse(said)
            if isinstance(found, Move):
                self.action = found.action
                return
            kind = "illegal move" if isinstance(found, Illegal) else "unreadable answer"
            self.fault = f"{kind}: {found.reason}"
            self._messages += [("assistant", said), ("user", self.seat.retry_text(said))]

    def random_answer(self) -> str:
        """Return a random legal move, chosen by the decision's key, in the form that the prompt asks for."""
        moves = self.seat.legal_moves()
        return json.dumps({"move": moves[int(hash63(self._key, SALT, 0)) % len(moves)]})
