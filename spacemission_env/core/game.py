"""Plays one game in Python over compiled rules: `Game`, the part that is the same for every game.

Each game has a class of its own that adds what only it has: set-ups, words, and why a move is refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import ClassVar, Self

import numpy as np

from spacemission_env.core.arguments import check_number, check_room, check_seed, is_whole
from spacemission_env.core.constants import NO_ORDER, REASON_NAMES
from spacemission_env.core.decisions import Decisions, GameInfo
from spacemission_env.core.errors import IllegalActionError, SetupError, shown
from spacemission_env.core.game_spec import (
    DEFAULT_GAME,
    OBSERVATIONS,
    Components,
    GameSpec,
    Rules,
    check_choice,
    find_game,
)
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
    """A `Game` by the name of the game; call `reset` before play. Arguments as for `Game`."""
    made: Game = resolve_name(find_game(game).game_class)(num_players, rules, components, observation)
    return made


@dataclass(frozen=True)
class Place:
    """Where hidden things can lie: an id (of the picture, where it has one), and what it is in words."""

    id: str
    title: str


@dataclass(frozen=True)
class Contents:
    """Things of one sort, such as tiles, and where they lie.

    Attributes:
        name: of the sort.
        kinds: what they can be.
        places: where they can lie.
        counts: how many of each kind lie in each place: int64 (places, kinds).
    """

    name: str
    kinds: tuple[str, ...]
    places: tuple[Place, ...]
    counts: np.ndarray


class Game:
    """One game.

    Attributes:
        spec: which game; of the class.
        states: array of one record (`spec.state`); all of the game is in it.
        parameters: array of one record, components and options, read-only; `t` is that record.
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
        """Make a game; call `reset` before play. RulesError, ComponentsError: what was refused.

        Args:
            num_players: as many as the game allows; None: the game's own default.
            rules: a preset name, a dict of options, or a rules object; None: as printed.
            components: None (the box that ships), or a path to a components file.
            observation: "perfect_recall" or "table".
        """
        self.num_players = self.spec.table_players(num_players)
        self.components = self.spec.load_components(components)
        given = self.spec.make_rules(rules)
        self.rules = given.for_players(self.num_players)
        self.recall = check_choice("observation", observation, OBSERVATIONS)
        # As given: a batch may hold games for fewer players (`deal_for`), which may end at another time.
        self.parameters = self.spec.make_parameters(self.components, given)
        self.t = self.parameters[0]
        self.states = self.spec.new_states(1)
        self._mask = np.zeros((1, self.spec.action_count), np.int8)

    def __repr__(self) -> str:
        """What is played, and how far it has come."""
        if not self.states[0].num_players:
            state = "not reset"
        elif self.over:
            state = f"{self.reason}, winners {self.winners()}"
        else:
            state = f"round {self.rounds}, {self.states[0].decisions} decisions, player_{self.player} to act"
        return f"<{self.spec.name}, {self.num_players} players: {state}>"

    def reset(self, seed: int | None = None, setup: Json | None = None) -> None:
        """Deal a new game: from `seed`, else the seed after the last game's, else a random one. `setup`
        (docs/records.md) lays the table instead; the seed then serves what is drawn later.
        """
        if seed is None:
            seed = int(next_seed(self.seed)) if self.states[0].num_players else secrets.randbits(62)
        seed = check_seed(seed)
        if setup is None:
            self.spec.batch.deal_one(self.states, 0, self.parameters, self.num_players, seed)
        else:
            self._lay(seed, setup)

    def step(self, action: int, order: np.ndarray = NO_ORDER) -> None:
        """Make the move, or refuse it with IllegalActionError: the game is unchanged then.

        `order`: a recorded shuffle to use instead of random numbers, int8 (n,); SetupError for another one.
        """
        reason = self.why_illegal(action)
        if reason:
            raise IllegalActionError(reason)
        if order is not NO_ORDER:
            order = self._checked_order(int(action), order)
        self.spec.batch.apply_one(self.states, 0, self.parameters, int(action), order)

    @property
    def seed(self) -> int:
        """What the game was dealt from."""
        return int(self.states[0].seed)

    @property
    def player(self) -> int | None:
        """Seat to act; None when over, and before the first `reset`."""
        return None if self.over or not self.states[0].num_players else int(self.states[0].player)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.states[0].over)

    @property
    def reason(self) -> str | None:
        """None while running, then "finished" or "truncated"."""
        return REASON_NAMES[int(self.states[0].over)]

    @property
    def rounds(self) -> int:
        """The round, from 1."""
        return int(self.states[0].round_number)

    def mask(self, seat: int | None = None) -> np.ndarray:
        """Legal moves of a seat (default: to act), int8 (actions,); all zero where not to move."""
        return self._view(seat)[1]

    def legal_actions(self) -> list[int]:
        """Legal indices of the player to act, ascending; empty when over."""
        return [int(a) for a in np.flatnonzero(self.mask())]

    def observe(self, seat: int | None = None) -> np.ndarray:
        """What a seat (default: to act) may know: float32 (observation_size,), see `spec.layout`."""
        return self._view(seat)[0]

    def _view(self, seat: int | None) -> tuple[np.ndarray, np.ndarray]:
        seat = self._seat(seat)
        observation = np.empty(self.spec.observation_size, np.float32)
        mask = np.empty(self.spec.action_count, np.int8)
        self.view(seat, observation, mask)
        return observation, mask

    def view(self, seat: int, observation: np.ndarray, mask: np.ndarray) -> None:
        """Write observation and mask of a seat into arrays: float32 (observation_size,), int8 (actions,)."""
        spec, seat = self.spec, self._seat(seat)
        check_room("observation", observation, FLOAT32, spec.observation_size)
        check_room("mask", mask, INT8, spec.action_count)
        spec.batch.view_one(self.states, 0, self.parameters, seat, self.recall, observation, mask)

    def seat_json(self, seat: int | None = None) -> Json:
        """What a seat (default: to act) knows, as JSON types: what its picture is made from. Equal for all
        states that the seat cannot tell apart, until the game is over and its result is told.
        """
        seat = self._seat(seat)
        return {**self._told(seat), **self._seen(seat)}

    def public_json(self) -> Json:
        """The same for who looks on and holds nothing: what every seat knows."""
        self._started()
        return {**self._told(None), **self._seen(None)}

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
        """The game as a seat (default: to act) sees it: an SVG document (docs/pictures.md).

        Args:
            seat: whose view.
            theme: "light", "dark", or "page": colours that the style sheet of a page sets.
            legal: mark what the seat may point at now.
            changed: ids of elements to mark.
            tall: in one column, for narrow pages, if the game has such a drawing.
        """
        view = self.seat_json(seat)
        moves = self.legal_actions() if legal and view["seat"] == self.player else []
        picture = self.spec.picture
        draw = getattr(picture, "draw_tall", picture.draw) if tall else picture.draw
        return str(draw(view, theme=theme, legal=moves, changed=changed))

    def _repr_svg_(self) -> str | None:
        """The picture, as notebooks show it; None before the first `reset`."""
        return self.picture() if self.states[0].num_players else None

    @property
    def info(self) -> GameInfo:
        """What agents are told before they play this game (`Agent.prepare`)."""
        rules, observation = self.rules, OBSERVATIONS[self.recall]
        return GameInfo(
            self.num_players, rules, self.components, observation, self.parameters, self.spec.name
        )

    def _started(self) -> np.record:
        s: np.record = self.states[0]
        if s.num_players == 0:
            raise SetupError("game: it has not been reset yet")
        return s

    def _seat(self, seat: int | None) -> int:
        self._started()
        if seat is None:
            return int(self.states[0].player)
        # A game of a batch may have fewer players than the batch has room for (`deal_for`).
        return check_number("seat", seat, 0, int(self.states[0].num_players) - 1)

    def information_state_key(self, seat: int) -> bytes:
        """What the seat knows, as bytes: equal keys, equal sets of possible states. With perfect recall it is
        all that a complete memory of the game holds, else observation and mask.
        """
        seat = self._seat(seat)
        if not self.recall:
            observation, mask = self._view(seat)
            return observation.tobytes() + mask.tobytes()
        key = np.empty(self.spec.key_size, np.int32)
        self.spec.batch.key_one(self.states, 0, self.parameters, seat, key)
        return key.tobytes()

    def decision_key(self) -> int:
        """The random key of the decision at hand: what agents draw from (the same in every front end)."""
        self._started()
        keys = np.zeros(1, np.int64)
        self.spec.batch.keys_batch(self.states, _FIRST, keys)
        return int(keys[0])

    def ask(self, key: int | None = None) -> Decisions:
        """The decision at hand for an agent (`act_alone`); `key`: another than its own."""
        observation, mask = self._view(None)
        keys = np.array([self.decision_key() if key is None else check_seed(key)], np.int64)

        def draw(rows: np.ndarray) -> np.ndarray:
            index = np.zeros(len(keys[rows]), np.int64)
            worlds = self.spec.new_states(len(index))
            self.spec.batch.worlds_batch(self.states, self.parameters, index, self.recall, keys[rows], worlds)
            return worlds

        return Decisions(
            observation[None], mask[None], keys, parameters=self.parameters, game=self.spec.name, draw=draw
        )

    def scores(self) -> np.ndarray:
        """Scores as the table stands: int64 (num_players, categories), columns `spec.score_names`."""
        self._started()
        out = np.zeros((1, self.num_players, len(self.spec.score_names)), np.int64)
        self.spec.batch.scores_batch(self.states, self.parameters, _FIRST, out)
        return np.asarray(out[0])

    def scores_json(self) -> list[dict[str, int]]:
        """Scores per seat by name, as the record's result line has them."""
        return [dict(zip(self.spec.score_names, map(int, row), strict=True)) for row in self.scores()]

    def margins(self) -> np.ndarray:
        """How far each seat is ahead as the table stands: float32 (num_players,), the game's own measure. It
        is taken from the whole table, and may tell more than a seat knows.
        """
        self._started()
        out = np.zeros(self.num_players, np.float32)
        index, seats = np.zeros(self.num_players, np.int64), np.arange(self.num_players)
        self.spec.batch.margin_batch(self.states, self.parameters, index, seats, out)
        return out

    def winners(self) -> list[int]:
        """Seats that have won, or lead so far; none where only a finished game is won."""
        self._started()
        ranks = np.zeros((1, self.num_players), np.int64)
        self.spec.batch.ranks_batch(self.states, self.parameters, _FIRST, ranks)
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
        """An independent copy, random numbers included."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.states = self.states.copy()
        other._mask = self._mask.copy()
        return other

    def determinize(self, seat: int, seed: int) -> Self:
        """A game that this seat cannot tell from this one, all that is hidden from it drawn anew: every state
        that agrees with what the seat knows is equally likely.
        """
        other = self.clone()
        seat, seed = self._seat(seat), check_seed(seed)
        batch = self.spec.batch
        batch.determinize_one(self.states, 0, self.parameters, seat, self.recall, seed, other.states)
        return other

    def from_world(self, world: np.ndarray | np.record) -> Self:
        """A game in the state of a sampled world (`Decisions.worlds`), with rules and components of this one.

        `world`: one record of `spec.state`, or an array (1,) of it; SetupError for what is none, and for a
        state that this game cannot be in.
        """
        given = np.asarray(world)
        if given.dtype != self.spec.state or given.size != 1:
            raise SetupError(f"world: expected one record of {self.spec.name}, not {shown(world)}")
        other = self.clone()
        other.states[:] = given.reshape(1)
        s = other.states[0]
        players = int(s.num_players)
        if players != self.num_players:
            raise SetupError(f"world: expected a game for {self.num_players} players, not {players}")
        problem = self.spec.state_problem(s, self.t, players)
        if problem:
            raise SetupError(f"world: {problem}")
        return other

    def words(self, action: int, seat: int | None = None) -> str:
        """A legal move in words, ahead of it: "player_0 jumps to Hazard with J12"; else IllegalActionError.

        `seat`: as this seat sees it, without what the move does not show the others; None: all of it.
        """
        seat, reason = None if seat is None else self._seat(seat), self.why_illegal(action)
        if reason:
            raise IllegalActionError(reason)
        return self._move_words(int(action), seat)

    def check_action(self, action: object) -> int:
        """The index of an action as an int, legal or not; IllegalActionError for what is none."""
        count = self.spec.action_count
        if not is_whole(action):
            raise IllegalActionError(f"action {shown(action)}: expected an integer from 0 to {count - 1}")
        if not 0 <= action < count:
            raise IllegalActionError(f"action {shown(action)}: not in 0 to {count - 1}")
        return int(action)

    def why_illegal(self, action: object) -> str | None:
        """None for a legal move of the player to act; else one line naming the move and the reason."""
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action.item()
        try:
            action = self.check_action(action)
        except IllegalActionError as refused:
            return str(refused)
        s = self.states[0]
        if s.num_players == 0:
            return f"action {action}: the game has not been reset"
        if s.over:
            return f"action {action}: the game is over"
        self.spec.batch.mask_batch(self.states, self.parameters, _FIRST, self._mask)
        if self._mask[0, action]:
            return None
        return f"player_{int(s.player)}: action {action} {self._why_not(action)}"

    # ------------------------------------------------------------ what each game has of its own

    def _lay(self, seed: int, setup: Json) -> None:
        """Lay the table of a set-up; SetupError for what is none."""
        raise NotImplementedError

    def setup_json(self) -> Json:
        """The set-up of a game just reset (docs/records.md)."""
        raise NotImplementedError

    def move(self, action: int) -> Json:
        """The move as the record writes it for people; IllegalActionError for one that has no words."""
        raise NotImplementedError

    def board(self, seat: int | None = None) -> str:
        """The table in words as a seat (default: to act) knows it."""
        raise NotImplementedError

    # ------------------------------------------------------------ what a game may have better

    def open_board(self) -> str:
        """The table in words with all that is hidden laid open; here: as each seat knows it."""
        return "\n".join(self.board(seat) for seat in range(self.num_players))

    def _move_words(self, action: int, seat: int | None) -> str:
        """A legal move in one line, as a seat (None: all seats) sees it; here: who, and the kind of move."""
        return f"player_{self.player}: {self.move(action)['kind']}"

    def result_words(self, agents: Sequence[str] | None = None) -> str:
        """The scores of all seats and who won, one line each; `agents`: their names."""
        named = [f"  {agent}" for agent in agents] if agents else [""] * self.num_players
        won = self.winners()
        return "".join(
            f"player_{j}  {', '.join(f'{name} {score}' for name, score in scores.items())}"
            f"{'  won' if j in won else ''}{named[j]}\n"
            for j, scores in enumerate(self.scores_json())
        )

    def end_words(self) -> str:
        """What is told beside the scores of a game that has ended; here: nothing."""
        return ""

    def contents(self) -> list[Contents]:
        """What lies where, hidden things too, for beliefs (`core/beliefs.py`); here: it does not say."""
        return []

    def _seen(self, seat: int | None) -> Json:
        """What a view tells a seat (None: all seats) beside who plays, JSON types; here: the text board."""
        return {"board": "" if seat is None else self.board(seat)}

    def _why_not(self, action: int) -> str:
        """The end of the line that refuses a move: "is illegal: you do not hold that card"."""
        return "is illegal"

    def move_seen(self, action: int, seat: int | None) -> tuple[int | None, Json]:
        """A move ahead of it, as a seat (None: all seats) sees it: index and words.

        What the move does not show the others is None in it, and so is the index then.
        """
        return int(action), self.move(action)

    def secret_may_follow(self, action: int) -> bool:
        """Whether a decision hidden from others may follow a legal move, for all that everybody knows.

        The same in every world that somebody holds possible who has seen the move.
        """
        return False

    @property
    def shuffles(self) -> int:
        """How often something was shuffled since the deal; a record has each of these shuffles."""
        return 0

    def last_shuffle(self) -> list[str]:
        """Right after the move that shuffled: what lies there now, next first."""
        raise SetupError("last_shuffle: nothing is shuffled in this game")

    def order_of(self, names: list[str]) -> np.ndarray:
        """A shuffle by names, as `last_shuffle` gives it, in the form that `step` takes."""
        raise SetupError("order_of: nothing is shuffled in this game")

    def _checked_order(self, action: int, order: object) -> np.ndarray:
        raise SetupError("order: nothing is shuffled in this game")
