"""Plays one game in Python with compiled rules: `Game`, the base class of every game.

Each game's subclass adds the set-up, the words for moves, and the reasons why moves are illegal.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from pkgutil import resolve_name
from typing import ClassVar, Self, cast

import numpy as np

from spacemission_env.core.arguments import check_number, check_room, check_seed, is_whole
from spacemission_env.core.chance import Draws, draws_of, with_tape, without_tape
from spacemission_env.core.constants import ILLEGAL_MOVE, NO_ORDER, REASON_NAMES
from spacemission_env.core.decisions import Decisions, GameInfo
from spacemission_env.core.errors import IllegalActionError, SetupError, shown
from spacemission_env.core.failed import GiveUpOnError, since
from spacemission_env.core.game_spec import (
    DEFAULT_GAME,
    OBSERVATIONS,
    Components,
    GameSpec,
    Rules,
    check_choice,
    find_game,
)
from spacemission_env.core.move_texts import find_move
from spacemission_env.core.reading import Json
from spacemission_env.core.rng import next_seed

FLOAT32, INT8 = np.dtype(np.float32), np.dtype(np.int8)
_FIRST = np.zeros(1, np.int64)


def make_game(
    game: str | GameSpec = DEFAULT_GAME,
    num_players: int | None = None,
    rules: object = None,
    components: object = None,
    observation: str = "perfect_recall",
) -> Game:
    """Make a `Game` by the game's name; call `reset` before play. Arguments as for `Game`."""
    made: Game = resolve_name(find_game(game).game_class)(num_players, rules, components, observation)
    return made


@dataclass(frozen=True)
class Place:
    """A place where hidden things can be: id (that of its picture element, if any) and title for people."""

    id: str
    title: str


@dataclass(frozen=True)
class Contents:
    """Where all things of one sort, such as tiles, are.

    Attributes:
        name: the sort's name.
        kinds: kinds of things.
        places: where things can be.
        counts: number of things of each kind in each place: int64 (places, kinds).
    """

    name: str
    kinds: tuple[str, ...]
    places: tuple[Place, ...]
    counts: np.ndarray


class Game:
    """One game.

    Attributes:
        spec: which game; a class attribute.
        states: array of one record (`spec.state`), the whole state of the game.
        parameters: array of one read-only record with the components and options; `t` is that record.
    """

    spec: ClassVar[GameSpec]
    rules: Rules
    components: Components

    def __init__(
        self,
        num_players: int | None = None,
        rules: object = None,
        components: object = None,
        observation: str = "perfect_recall",
    ) -> None:
        """Make a game; call `reset` before play.

        Args:
            num_players: a number that the game allows; None: the game's default.
            rules: a preset name, a dict of options, or a rules object; None: the rules of the printed game.
            components: None (the default ones), or a path to a components file.
            observation: "perfect_recall" or "table".

        Raises:
            RulesError, ComponentsError: an argument is refused.
        """
        self.num_players = self.spec.table_players(num_players)
        self.components = self.spec.load_components(components)
        given = self.spec.make_rules(rules)
        self.rules = given.for_players(self.num_players)
        self.recall = check_choice("observation", observation, OBSERVATIONS)
        # Not `self.rules`, which are for this number of players only: a batch may have games for fewer.
        self.parameters = self.spec.make_parameters(self.components, given)
        self.t = self.parameters[0]
        self.states = self.spec.new_states(1)
        self._mask = np.zeros((1, self.spec.action_count), np.int8)
        self._check_box()

    def _check_box(self) -> None:
        """Raise ComponentsError if the components are too few for these players and options."""

    def __repr__(self) -> str:
        if self._header("num_players") < 1:
            state = f"not reset{since(self._header('num_players'))}"
        elif self.over:
            state = f"{self.reason}, winners {self.winners()}"
        else:
            state = f"round {self.rounds}, {self.states[0].decisions} decisions, player_{self.player} to act"
        return f"<{self.spec.name}, {self.num_players} players: {state}>"

    def reset(
        self, seed: int | None = None, setup: Json | None = None, chance: Sequence[int] | None = None
    ) -> None:
        """Deal a new game.

        Args:
            seed: the deal's seed; None: the seed that follows the last game's, or a random one at first.
            setup: a set-up to use instead of a deal (docs/records.md); `seed` then sets later draws only.
            chance: outcomes of the deal's draws (`draws`); `seed` then sets later draws only.
        """
        if seed is None:
            seed = int(next_seed(self.seed)) if self.states[0].num_players else secrets.randbits(62)
        seed = check_seed(seed)
        if chance is not None:
            if setup is not None:
                raise SetupError("chance: a set-up leaves nothing to chance")
            self.states[:] = self.by_chance(None, chance, True, seed)[0]
        elif setup is None:
            with GiveUpOnError(self.states):
                self.spec.batch.deal_one(self.states, 0, self.parameters, self.num_players, seed)
        else:
            self._lay(seed, setup)

    def step(self, action: int, order: np.ndarray = NO_ORDER, chance: Sequence[int] | None = None) -> None:
        """Make a move; an illegal one raises IllegalActionError and leaves the game unchanged.

        In place of random numbers, `order` gives a recorded shuffle, int8 (n,), or `chance` gives the
        outcomes of all draws of the move (`draws`); SetupError if they are not valid.
        """
        reason = self.why_illegal(action)
        if reason:
            raise IllegalActionError(reason)
        if chance is not None:
            if order is not NO_ORDER:
                raise SetupError("chance: expected either an order or outcomes, not both")
            self.states[:] = self.by_chance(int(action), chance, True)[0]
            return
        if order is not NO_ORDER:
            order = self._checked_order(int(action), order)
        with GiveUpOnError(self.states):
            self.spec.batch.apply_one(self.states, 0, self.parameters, int(action), order)

    def draws(self, action: int | None = None) -> Draws:
        """The draws of a move (None: of the deal) with the game's own random numbers: pairs (size, outcome).

        Each draw has `size` equally likely outcomes. Pass the outcomes as `chance` to repeat the draws.
        """
        return self.by_chance(action, ())[1]

    def chance_outcomes(
        self, action: int | None = None, chance: Sequence[int] = ()
    ) -> list[tuple[int, float]]:
        """Outcomes and probabilities of the next draw of a move (None: the deal) after the outcomes `chance`;
        empty if the move draws no more.
        """
        draws = self.by_chance(action, chance)[1]
        size = draws[len(chance)][0] if len(draws) > len(chance) else 0
        return [(outcome, 1 / size) for outcome in range(size)]

    def outcomes(self, action: int | None = None) -> Iterator[tuple[float, list[int], Self]]:
        """All ways a move (None: the deal) can turn out: probability, outcomes, and the game after it."""
        tape: list[int] = []
        while True:
            states, draws = self.by_chance(action, tape)
            if len(draws) > len(tape):
                tape.append(0)
                continue
            after = self.clone()
            after.states = states
            yield prod(1 / size for size, _ in draws), list(tape), after
            while tape and tape[-1] + 1 == draws[len(tape) - 1][0]:
                tape.pop()
            if not tape:
                return
            tape[-1] += 1

    def by_chance(
        self, action: int | None, chance: Sequence[int], complete: bool = False, seed: int | None = None
    ) -> tuple[np.ndarray, Draws]:
        """The state after a move (None: the deal) and its draws: first those of `chance`, then random ones.

        The game itself does not change. SetupError unless the move uses all of `chance` and, if `complete`,
        needs no other draw. `seed`: the seed of a deal; None: the game's seed.
        """
        held = with_tape(self.states, chance)
        if action is None:
            dealt = self.num_players, self.seed if seed is None else seed
            self.spec.batch.deal_one(held, 0, self.parameters, *dealt)
        else:
            action = self.check_action(action)
            if self.spec.batch.step_checked(held, self.parameters, action) == ILLEGAL_MOVE:
                raise IllegalActionError(self.why_illegal(action))
        return without_tape(held, self.spec.state), draws_of(held, chance, complete)

    @property
    def seed(self) -> int:
        """The seed of the deal."""
        return int(self.states[0].seed)

    @property
    def player(self) -> int | None:
        """Seat to act; None after the end and before the first `reset`."""
        return None if self.over or self._header("num_players") < 1 else self._header("player")

    @property
    def over(self) -> bool:
        return bool(self._header("over"))

    @property
    def reason(self) -> str | None:
        """None while running, then "finished" or "truncated"."""
        return REASON_NAMES[self._header("over")]

    @property
    def rounds(self) -> int:
        """Number of the current round, from 1."""
        return int(self.states[0].round_number)

    def mask(self, seat: int | None = None) -> np.ndarray:
        """Legal moves of a seat (default: the one to act), int8 (actions,); zeros if it is not to act."""
        return self._view(seat)[1]

    def legal_actions(self) -> list[int]:
        """Legal actions of the seat to act, ascending; empty when the game is over."""
        return [int(a) for a in np.flatnonzero(self.mask())]

    def observe(self, seat: int | None = None) -> np.ndarray:
        """Observation of a seat (default: the one to act): float32 (observation_size,); see `spec.layout`."""
        return self._view(seat)[0]

    def _view(self, seat: int | None) -> tuple[np.ndarray, np.ndarray]:
        seat = self._seat(seat)
        spec = self.spec
        observation, mask = np.empty(spec.observation_size, np.float32), np.empty(spec.action_count, np.int8)
        spec.batch.view_one(self.states, 0, self.parameters, seat, self.recall, observation, mask)
        return observation, mask

    def whole_numbers(self, seat: int | None = None) -> np.ndarray:
        """The compact observation of a seat (default: the one to act): uint8 (1, observation_size)."""
        seats, spec = np.array([self._seat(seat)]), self.spec
        whole = np.empty((1, spec.observation_size), np.uint8)
        look, mask = spec.batch.compact_seats_view_batch, np.empty_like(self._mask)
        look(self.states, self.parameters, seats, self.recall, whole, mask)
        return whole

    def view(self, seat: int, observation: np.ndarray, mask: np.ndarray) -> None:
        """Write observation and mask of a seat into arrays: float32 (observation_size,), int8 (actions,)."""
        spec, seat = self.spec, self._seat(seat)
        check_room("observation", observation, FLOAT32, spec.observation_size)
        check_room("mask", mask, INT8, spec.action_count)
        spec.batch.view_one(self.states, 0, self.parameters, seat, self.recall, observation, mask)

    def seat_json(self, seat: int | None = None) -> Json:
        """What a seat (default: the one to act) knows, as JSON; pictures are drawn from it.

        It is equal in all states that the seat cannot tell apart, until the end reveals the result.
        """
        seat = self._seat(seat)
        return {**self._told(seat), **self._seen(seat)}

    def public_json(self) -> Json:
        """What every seat knows, as JSON, for spectators."""
        self._started()
        return {**self._told(None), **self._seen(None)}

    def picture_view(self, seat: int | None = None) -> Json:
        """What a seat's picture is drawn from: `seat_json`, and the text board if there is no picture."""
        view = self.seat_json(seat)
        if self.spec.picture_module is None:
            view.setdefault("board", self.board(view["seat"]))
        return view

    def _told(self, seat: int | None) -> Json:
        result = {"scores": self.scores_json(), "winners": self.winners()} if self.over else None
        return {
            "game": self.spec.name,
            "title": self.spec.title,
            "seat": seat,
            "num_players": int(self.states[0].num_players),
            "player_to_act": self.player,
            "over": self.reason,
            "result": result,
        }

    def picture(
        self,
        seat: int | None = None,
        *,
        theme: str = "light",
        legal: bool = False,
        changed: Sequence[str] = (),
        tall: bool = False,
    ) -> str:
        """Draw the game as a seat (default: the one to act) sees it: an SVG document (docs/pictures.md).

        Args:
            seat: whose view.
            theme: "light", "dark", or "page" (the page's style sheet sets the colours).
            legal: mark the elements of legal moves.
            changed: ids of elements to mark.
            tall: draw in one column for narrow pages, if the game supports it.
        """
        view = self.picture_view(seat)
        moves = self.legal_actions() if legal and view["seat"] == self.player else []
        picture = self.spec.picture
        draw = getattr(picture, "draw_tall", picture.draw) if tall else picture.draw
        return str(draw(view, theme=theme, legal=moves, changed=changed))

    def _repr_svg_(self) -> str | None:
        """The picture for notebooks; None before the first `reset`."""
        return self.picture() if self.states[0].num_players > 0 else None

    @property
    def info(self) -> GameInfo:
        """Facts for `Agent.prepare`."""
        rules, observation = self.rules, OBSERVATIONS[self.recall]
        return GameInfo(
            self.num_players, rules, self.components, observation, self.parameters, self.spec.name
        )

    def _header(self, name: str) -> int:
        """Read a whole number of the state, ten times as fast as from an attribute of the record."""
        return int(self.states[name][0])

    def _started(self) -> np.record:
        players = self._header("num_players")
        if players < 1:
            raise SetupError(f"game: it has not been reset{since(players)}")
        s: np.record = self.states[0]
        return s

    def _seat(self, seat: int | None) -> int:
        players = self._header("num_players")
        if players < 1:
            raise SetupError(f"game: it has not been reset{since(players)}")
        if seat is None:
            return self._header("player")
        return check_number("seat", seat, 0, players - 1)

    def information_state_key(self, seat: int) -> bytes:
        """The information state of a seat as bytes: equal keys mean equal sets of possible states.

        The key contains everything that the seat has seen, whatever its observation shows.
        """
        seat = self._seat(seat)
        key = np.empty(self.spec.key_size, np.int32)
        self.spec.batch.key_one(self.states, 0, self.parameters, seat, key)
        return key.tobytes()

    def position(self) -> bytes:
        """The whole state as bytes, without the random numbers; equal bytes mean equal games."""
        bare = self.states.copy()
        bare["rng"] = 0
        return bare.tobytes()

    def decision_key(self) -> int:
        """The random key of the current decision, equal in every front end."""
        self._seat(None)
        keys = np.zeros(1, np.int64)
        self.spec.batch.keys_batch(self.states, _FIRST, keys)
        return int(keys[0])

    def ask(self, key: int | None = None) -> Decisions:
        """The current decision for an agent (`act_alone`); `key` replaces the game's decision key."""
        observation, mask = self._view(None)
        keys = np.array([self.decision_key() if key is None else check_seed(key)], np.int64)

        def draw(rows: np.ndarray) -> np.ndarray:
            index = np.zeros(len(keys[rows]), np.int64)
            worlds = self.spec.new_states(len(index))
            self.spec.batch.worlds_batch(self.states, self.parameters, index, keys[rows], worlds)
            return worlds

        def look(rows: np.ndarray) -> np.ndarray:
            return self.whole_numbers().repeat(len(keys[rows]), 0)

        return Decisions(
            observation[None], mask[None], keys, None, self.parameters, self.spec.name, draw, look,
            lambda row: self,
        )  # fmt: skip

    def scores(self) -> np.ndarray:
        """Current scores: int64 (num_players, categories), columns `spec.score_names`."""
        self._started()
        out = np.zeros((1, self.num_players, len(self.spec.score_names)), np.int64)
        self.spec.batch.scores_batch(self.states, self.parameters, _FIRST, out)
        return np.asarray(out[0])

    def scores_json(self) -> list[dict[str, int]]:
        """Scores by seat and name, as in the record's result line."""
        return [dict(zip(self.spec.score_names, map(int, row), strict=True)) for row in self.scores()]

    def margins(self) -> np.ndarray:
        """How far each seat is ahead now: float32 (num_players,).

        The margin uses the full state, so it may reveal more than a seat knows.
        """
        self._started()
        out = np.zeros(self.num_players, np.float32)
        index, seats = np.zeros(self.num_players, np.int64), np.arange(self.num_players)
        self.spec.batch.margin_batch(self.states, self.parameters, index, seats, out)
        return out

    def winners(self) -> list[int]:
        """Seats that have won, or lead now; empty in an unfinished game with `spec.only_finished_wins`."""
        self._started()
        ranks = self.spec.ranks(self.scores()[None])
        return [int(seat) for seat in np.flatnonzero(self.spec.winners(ranks, self.states["over"])[0])]

    def rewards(self, mode: str | int = 0) -> np.ndarray:
        """Final rewards by seat, float64 (num_players,); `mode`: one of `spec.reward_names`, or its index."""
        if is_whole(mode):
            mode = check_number("mode", mode, 0, len(self.spec.reward_names) - 1)
        else:
            mode = check_choice("mode", mode, self.spec.reward_names)
        self._started()
        out = np.zeros((1, self.num_players))
        self.spec.batch.rewards_batch(self.states, self.parameters, _FIRST, mode, out)
        return np.asarray(out[0])

    def clone(self) -> Self:
        """An independent copy, including the random numbers."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.states = self.states.copy()
        other._mask = self._mask.copy()
        return other

    def determinize(self, seat: int, seed: int) -> Self:
        """A game that this seat cannot tell from this one, with everything hidden sampled anew.

        Every state that agrees with what the seat has seen is equally likely, whatever its observation shows.
        """
        other = self.clone()
        seat, seed = self._seat(seat), check_seed(seed)
        batch = self.spec.batch
        batch.determinize_one(self.states, 0, self.parameters, seat, seed, other.states)
        return other

    def from_world(self, world: np.ndarray | np.record) -> Self:
        """A game in the state of a sampled world (`Decisions.worlds`), with this game's rules and components.

        `world`: one record of `spec.state`, or an array (1,); SetupError if it is not one, or has another
        number of players. The numbers in it are trusted, and compiled code uses them as indices: take a world
        that a game of this process gave. To read a game from a file, replay a record.
        """
        given = np.asarray(world)
        if given.dtype != self.spec.state or given.size != 1:
            raise SetupError(f"world: expected one record of {self.spec.name}, not {shown(world)}")
        other = self.clone()
        other.states[:] = given.reshape(1)
        players = int(other.states[0].num_players)
        if players != self.num_players:
            raise SetupError(f"world: expected a game for {self.num_players} players, not {players}")
        return other

    def move_text(self, action: int) -> str:
        """A legal move as an identifier that people can read: "jump Hazard J12".

        The texts of two legal moves differ in more than case and blanks. A text hides nothing; `move_seen`
        gives what a seat sees. IllegalActionError for an illegal move.
        """
        return self._move_text(self._legal(action))

    def parse_move(self, text: str) -> int:
        """The action of a legal move from its `move_text`; case and blanks do not matter.

        IllegalActionError: the text names no legal move; the message says why, and which are nearest.
        """
        if not isinstance(text, str):
            raise IllegalActionError(f"move {shown(text)}: expected a text")
        players = self._header("num_players")
        if players < 1 or self.over:
            why = "the game is over" if players > 0 else f"the game has not been reset{since(players)}"
            raise IllegalActionError(f"move {shown(text)}: {why}")
        try:
            return find_move(text, {action: self._move_text(action) for action in self.legal_actions()})
        except IllegalActionError as refused:
            raise IllegalActionError(f"player_{self.player}: {refused}") from None

    def history_line(self, action: int, seat: int | None) -> str | None:
        """A legal move as a line of a history, before it is made, as a seat sees it: "player_0: take".

        None if the seat does not see that anybody moves (`move_seen`).
        """
        seen = self.move_seen(action, seat)
        return None if seen is None else f"player_{self.player}: {seen}"

    def illegal_texts(self) -> dict[int, str]:
        """For error messages: the text of each move that is illegal now, by action, if it has one."""
        texts, legal = {}, set(self.legal_actions())
        for action in range(self.spec.action_count):
            if action not in legal:
                with suppress(Exception):  # a game need not have texts for illegal moves
                    texts[action] = self._move_text(action)
        return texts

    def why_not(self, action: int) -> str:
        """Why a move is illegal, without its number: "(jump) is illegal: … (SM-24)"; "" if it is legal."""
        return "" if self.why_illegal(action) is None else self._why_not(action)

    def words(self, action: int, seat: int | None = None) -> str:
        """Describe a legal move in a sentence before it is made: "player_0 jumps to Hazard with J12".

        `seat`: whose view of the move to describe; None: hide nothing. IllegalActionError for an illegal
        move.
        """
        seat = None if seat is None else self._seat(seat)
        return self._move_words(self._legal(action), seat)

    def _legal(self, action: object) -> int:
        """A legal action as an int; IllegalActionError for any other."""
        reason = self.why_illegal(action)
        if reason:
            raise IllegalActionError(reason)
        return int(cast(int, action))

    def check_action(self, action: object) -> int:
        """An action as an int, legal or not; IllegalActionError if it is not an action index."""
        count = self.spec.action_count
        if not is_whole(action):
            raise IllegalActionError(f"action {shown(action)}: expected an integer from 0 to {count - 1}")
        if not 0 <= action < count:
            raise IllegalActionError(f"action {shown(int(action))}: not in 0 to {count - 1}")
        return int(action)

    def why_illegal(self, action: object) -> str | None:
        """None for a legal move; otherwise one line with the move and the reason."""
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action.item()
        try:
            action = self.check_action(action)
        except IllegalActionError as refused:
            return str(refused)
        s = self.states[0]
        if s.num_players < 1:
            return f"action {action}: the game has not been reset{since(int(s.num_players))}"
        if s.over:
            return f"action {action}: the game is over"
        self.spec.batch.mask_batch(self.states, self.parameters, _FIRST, self._mask)
        if self._mask[0, action]:
            return None
        return f"player_{int(s.player)}: action {action} {self._why_not(action)}"

    # ------------------------------------------------------------ each game implements these

    def _lay(self, seed: int, setup: Json) -> None:
        """Set up the table; SetupError if the set-up is not valid."""
        raise NotImplementedError

    def setup_json(self) -> Json:
        """The set-up of a game just reset (docs/records.md)."""
        raise NotImplementedError

    def _move_text(self, action: int) -> str:
        """The text of a legal move for `move_text`: the kind of move, then the ids of what it names."""
        raise NotImplementedError

    def board(self, seat: int | None = None) -> str:
        """Describe the table in words as a seat (default: the one to act) sees it."""
        raise NotImplementedError

    # ------------------------------------------------------------ a game may override these

    def open_board(self) -> str:
        """Describe the table with everything hidden revealed. Default: the boards of all seats."""
        return "\n".join(self.board(seat) for seat in range(self.num_players))

    def _move_words(self, action: int, seat: int | None) -> str:
        """Describe a legal move in one line as a seat sees it (None: in full). Default: player and text."""
        seen = self._move_text(action) if seat is None else self.move_seen(action, seat)
        return f"player_{self.player}: {seen or 'a hidden move'}"

    def result_words(self, agents: Sequence[str] | None = None) -> str:
        """Scores of all seats and the winners, one line per seat; `agents`: their names."""
        named = [f"  {agent}" for agent in agents] if agents else [""] * self.num_players
        won = self.winners()
        return "".join(
            f"player_{j}  {', '.join(f'{name} {score}' for name, score in scores.items())}"
            f"{'  won' if j in won else ''}{named[j]}\n"
            for j, scores in enumerate(self.scores_json())
        )

    def end_words(self) -> str:
        """Extra words for the end of a game. Default: none."""
        return ""

    def glossary(self) -> dict[str, str]:
        """Public meanings, for people, of names that occur in the words of moves. Default: none."""
        return {}

    def ids_of_names(self) -> dict[str, str]:
        """By name on the board: the id in move texts, if the name does not show the id. Default: none."""
        return {}

    def contents(self) -> list[Contents]:
        """Where everything is, including hidden things, for beliefs (`core/beliefs.py`). Default: unknown."""
        return []

    def _seen(self, seat: int | None) -> Json:
        """What `seat_json` adds to the general part; seat None: spectators. Default: the text board."""
        return {"board": "" if seat is None else self.board(seat)}

    def _why_not(self, action: int) -> str:
        """The end of the message that refuses a move: "is illegal: you do not hold that card"."""
        return "is illegal"

    def move_seen(self, action: int, seat: int | None) -> str | None:
        """The `move_text` of a move before it is made, as a seat sees it (None: nothing is hidden).

        The text ends before its hidden part ("take" for "take water"). The result is None if the seat does
        not see that anybody moves.
        """
        return self.move_text(action)

    def secret_may_follow(self, action: int) -> bool:
        """Whether a hidden decision may follow a legal move, judged by public knowledge only.

        The result is equal in every world that any player who saw the move considers possible.
        """
        return False

    @property
    def shuffles(self) -> int:
        """Number of shuffles since the deal; a record contains each of them."""
        return 0

    def last_shuffle(self) -> list[str]:
        """The shuffled pile right after the move that shuffled it, next card first."""
        raise SetupError("last_shuffle: nothing is shuffled in this game")

    def order_of(self, names: list[str]) -> np.ndarray:
        """Convert the names from `last_shuffle` to the `order` argument of `step`."""
        raise SetupError("order_of: nothing is shuffled in this game")

    def _checked_order(self, action: int, order: object) -> np.ndarray:
        raise SetupError("order: nothing is shuffled in this game")
