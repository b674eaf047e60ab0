"""Seats text players and named agents at one game, for MCP, OpenEnv and verifiers."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from spacemission_agents.web.catalogue import offers
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.errors import AgentError, IllegalActionError, StopError, shown
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.texts.seat import Move, TextSeat

RETRIES = 2  # illegal answers in a row that a seat may correct; one more forfeits the game
MODEL = "model"  # stands in place of an agent for a player who answers in text


class Table:
    """A game in which some seats answer in text, and agents move for the others.

    The table makes up no moves: a seat that answers with no legal move forfeits, and so does an agent that
    fails.

    Attributes:
        game: the game; it waits for a seat of `texts`, or is over.
        texts: the seats that answer in text, by number.
        loser: the seat that has forfeited, or None.
    """

    def __init__(
        self,
        game: str,
        seats: Sequence[str],
        retries: int = RETRIES,
        names: str = "own",
        extra: tuple[str, ...] = (),
    ) -> None:
        """Call `deal` before play.

        Args:
            game: name of the game.
            seats: for each seat an agent that `offers` lists, or "model".
            retries: illegal answers in a row that a seat may correct; one more forfeits the game.
            names: "own", or "neutral": other words in place of the game's.
            extra: agents to offer besides the installed ones.

        Raises:
            AgentError: an agent is not offered, so that no stranger imports modules or runs commands.
        """
        self.spec = find_game(game)
        self.spec.check_num_players(len(seats))
        if MODEL not in seats:
            raise AgentError(f"seats: at least one is {MODEL}")
        known = offers(self.spec, extra)
        for name in seats:
            if name != MODEL and name not in known:
                raise AgentError(f"agent {shown(name)}: expected {MODEL}, {', '.join(known)}")
        self.names, self.retries, self._neutral = list(seats), retries, names
        self.game = make_game(self.spec, len(seats))
        self._agents = {
            j: make_agent(known[name][0], self.spec) for j, name in enumerate(seats) if name != MODEL
        }
        prepare_agents(self._agents.values(), self.game.info)

    def deal(self, seed: int | None = None) -> None:
        """Begin a new game, and play until a seat of `texts` has to answer; `seed` None: a random seed."""
        self.game.reset(seed)
        self.loser: int | None = None
        self._why, self._wrong = "", 0
        models = [j for j, name in enumerate(self.names) if name == MODEL]
        self.texts = {j: TextSeat(self.game, j, self._neutral) for j in models}
        self._told = dict.fromkeys(models, 0)
        self._go_on()

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or because a seat has forfeited."""
        return self.game.over or self.loser is not None

    def to_play(self) -> int | None:
        """The seat that has to answer; None: the game is over."""
        return None if self.over else self.game.player

    def tell(self, seat: int, new: bool = False) -> str:
        """What a seat may know now, and the question if the seat has to answer; at the end also the result.

        `new`: tell only the moves since the last call for this seat, instead of all moves so far.
        """
        text, before = self.texts[seat], self._told[seat]
        self._told[seat] = len(text.history)
        if not self.over:
            return text.prompt(len(text.history) - before if new else "all")
        won = ", ".join(f"player_{j}" for j, reward in enumerate(self.rewards()) if reward > 0)
        end = text.prompt() if self.loser is None else f"{self._why}The game is over.\n"
        return f"{end}Won: {won or 'nobody'}.\n"

    def answer(self, seat: int, text: str) -> str:
        """Play the move in an answer; return "", or what to tell a seat that may answer again."""
        if self.to_play() != seat:
            return "The game is over.\n" if self.over else "It is not your move.\n"
        found = self.texts[seat].parse(text)
        if isinstance(found, Move):
            self._step(found.action)
            self._go_on()
            return ""
        self._wrong += 1
        if self._wrong > self.retries:
            self.forfeit(seat, "it gave no legal move")
            return ""
        return self.texts[seat].retry_text(text)

    def forfeit(self, seat: int, why: str) -> None:
        """End the game; the seat loses it."""
        self.loser, self._why = seat, f"player_{seat} has forfeited: {why}.\n"

    def rewards(self) -> list[float]:
        """The "win" reward of each seat, 0 before the end; a loser by forfeit gets -1, the others share 1."""
        players = len(self.names)
        if self.loser is not None:
            return [-1.0 if j == self.loser else 1 / (players - 1) for j in range(players)]
        return [float(one) for one in self.game.rewards("win")] if self.game.over else [0.0] * players

    def _step(self, action: int) -> None:
        reason = self.game.why_illegal(action)
        if reason:  # raise before any seat notes the move
            raise IllegalActionError(reason)
        for text in self.texts.values():
            text.note(action)
        self.game.step(action)
        self._wrong = 0

    def _go_on(self) -> None:
        while (player := self.to_play()) is not None and player in self._agents:
            try:
                self._step(self._agents[player].play(self.game))
            except StopError:
                raise
            except (AgentError, IllegalActionError) as error:  # only log it: it may tell what is hidden
                logging.getLogger(__name__).warning("player_%d (%s): %s", player, self.names[player], error)
                self.forfeit(player, "its agent has failed")
