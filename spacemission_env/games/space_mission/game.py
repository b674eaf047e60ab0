"""`Game`: one game in Python over the compiled rules. Every front end for single games is thin over it."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from spacemission_env.core.agents_api import Decisions, GameInfo
from spacemission_env.core.arguments import check_number, check_room, check_seed, is_whole, whole_numbers
from spacemission_env.core.errors import IllegalActionError, SetupError, shown
from spacemission_env.games.space_mission import setup as setups
from spacemission_env.games.space_mission.actions import kind_of, slots_of
from spacemission_env.games.space_mission.box import make_box
from spacemission_env.games.space_mission.components import Components, load_components
from spacemission_env.games.space_mission.engine import batch
from spacemission_env.games.space_mission.engine.constants import (
    ACTION_COUNT,
    CARDS,
    FLY_NEXT,
    JUMP,
    KIND_NAMES,
    NOWHERE,
    OVER,
    PHASE_NAMES,
    PILE,
    REASON_NAMES,
    REWARD_NAMES,
    RING,
    SCORE_NAMES,
    SCORES,
    TAKE,
)
from spacemission_env.games.space_mission.engine.determinize import determinize
from spacemission_env.games.space_mission.engine.knowledge import KEY_SIZE
from spacemission_env.games.space_mission.engine.layout import OBSERVATION_SIZE
from spacemission_env.games.space_mission.engine.rng import decision_key, next_seed
from spacemission_env.games.space_mission.engine.scoring import better, rewards, score
from spacemission_env.games.space_mission.engine.state import NO_ORDER, new_states
from spacemission_env.games.space_mission.options import Rules, check_num_players, make_rules

FLOAT32, INT8 = np.dtype(np.float32), np.dtype(np.int8)
OBSERVATIONS = ("table", "perfect_recall")  # index: the `recall` argument of observe()


class Game:
    """One game of Space Mission.

    Attributes:
        states: array of one `STATE` record; all of the game is in it.
        boxes: array of one `BOX` record (components and options), read-only; `box` is that record.
    """

    def __init__(
        self,
        num_players: int = 3,
        rules: str | Rules | dict[str, Any] | None = "printed",
        components: Any = None,
        observation: str = "perfect_recall",
    ) -> None:
        """Make a game; call `reset` before play.

        Raises:
            RulesError, ComponentsError: one line that names what was refused.
        """
        self.num_players = check_num_players(num_players)
        self.components: Components = load_components(components)
        given = make_rules(rules)
        self.rules = given.for_players(num_players)
        self.recall = check_choice("observation", observation, OBSERVATIONS)
        # As given: a batch may hold games for fewer players (`deal_for`), which end sooner (SM-50).
        self.boxes = make_box(self.components, given)
        self.box = self.boxes[0]
        self.states = new_states(1)
        self.setup: dict[str, Any] | None = None
        self._mask = np.zeros(ACTION_COUNT, np.int8)

    # ------------------------------------------------------------ play

    def reset(self, seed: int | None = None, setup: dict[str, Any] | None = None) -> None:
        """Deal a new game: from `seed`, else the seed after the last game's, else a random one.

        `setup` (interfaces.md, section 2) lays the table instead; the seed then serves later shuffles.
        """
        if seed is None:
            seed = int(next_seed(self.seed)) if self.states[0].num_players else secrets.randbits(62)
        seed = check_seed(seed)
        if setup is None:
            batch.deal_one(self.states, 0, self.boxes, self.num_players, seed)
        else:
            setups.lay(self.states[0], self.box, self.components, self.num_players, seed, setup)

    def step(self, action: int, order: np.ndarray = NO_ORDER) -> None:
        """Make the move; `order`: a recorded shuffle to use instead of the game's random numbers, int8 card
        faces (n,), next card first.

        Raises:
            IllegalActionError: naming the move and why it is refused; the game is unchanged.
            SetupError: the shuffle is not of the cards that the move leaves on the discard pile.
        """
        reason = self.why_illegal(action)
        if reason:
            raise IllegalActionError(reason)
        if order is not NO_ORDER:
            order = self._checked_order(int(action), order)
        batch.apply_one(self.states, 0, self.boxes, int(action), order)

    def _checked_order(self, action: int, order: Any) -> np.ndarray:
        faces = whole_numbers("order", order)
        s = self.states[0]
        pile = s.discard.astype(np.int64)
        if kind_of(action) == "top_up":  # the only move that draws
            pile[[s.hand[s.player, slot] for slot in slots_of(action)]] += 1
        inside = ((faces >= 0) & (faces < CARDS)).all()
        if len(faces) and (not inside or (np.bincount(faces, minlength=CARDS) != pile).any()):
            raise SetupError(f"order: expected the {pile.sum()} cards of the discard pile, not others")
        return faces.astype(np.int8)

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
        return bool(self.states[0].phase == OVER)

    @property
    def reason(self) -> str | None:
        """None while running, then "finished" or "truncated" (SM-53)."""
        return REASON_NAMES[int(self.states[0].over)]

    @property
    def rounds(self) -> int:
        """The round, from 1."""
        return int(self.states[0].round_number)

    @property
    def phase(self) -> str:
        """action, reserve, develop, discover (the tile picks) or over."""
        return PHASE_NAMES[int(self.states[0].phase)]

    def mask(self, seat: int | None = None) -> np.ndarray:
        """Legal moves of a seat (default: to act), int8 of shape (101,); all zero where not to move."""
        return self._view(seat)[1]

    def legal_actions(self) -> list[int]:
        """Legal indices of the player to act, ascending; empty when over."""
        return [int(a) for a in np.flatnonzero(self.mask())]

    def observe(self, seat: int | None = None) -> np.ndarray:
        """What a seat (default: to act) may know: float32 of shape (OBSERVATION_SIZE,), see layout.py."""
        return self._view(seat)[0]

    def _view(self, seat: int | None) -> tuple[np.ndarray, np.ndarray]:
        observation, mask = np.empty(OBSERVATION_SIZE, np.float32), np.empty(ACTION_COUNT, np.int8)
        batch.view_one(self.states, 0, self.boxes, self._seat(seat), self.recall, observation, mask)
        return observation, mask

    def view(self, seat: int, observation: np.ndarray, mask: np.ndarray) -> None:
        """Write observation and mask of a seat into arrays: float32 (OBSERVATION_SIZE,), int8 (101,)."""
        seat = self._seat(seat)
        check_room("observation", observation, FLOAT32, OBSERVATION_SIZE)
        check_room("mask", mask, INT8, ACTION_COUNT)
        batch.view_one(self.states, 0, self.boxes, seat, self.recall, observation, mask)

    @property
    def info(self) -> GameInfo:
        """What agents are told before they play this game (`Agent.prepare`)."""
        observation = OBSERVATIONS[self.recall]
        return GameInfo(self.num_players, self.rules, self.components, observation, self.boxes)

    def _started(self) -> np.record:
        s = self.states[0]
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
        """What the seat knows, as bytes: equal keys, equal sets of possible states (SM-73, SM-74).

        With `observation="table"` that is its observation and mask; with perfect recall it is more than the
        observation tells: all that a complete memory of the game holds (`engine/knowledge.py`).
        """
        seat = self._seat(seat)
        if not self.recall:
            observation, mask = self._view(seat)
            return observation.tobytes() + mask.tobytes()
        key = np.empty(KEY_SIZE, np.int32)
        batch.key_one(self.states, 0, self.boxes, seat, key)
        return key.tobytes()

    def decision_key(self) -> int:
        """The random key of the decision at hand: what agents draw from (the same in every front end)."""
        return int(decision_key(self._started()))

    def ask(self, key: int | None = None) -> Decisions:
        """The decision at hand for an agent (`agents_api.act_alone`); `key`: another than its own."""
        observation, mask = self._view(None)
        keys = np.array([self.decision_key() if key is None else check_seed(key)], np.int64)

        def draw(rows: np.ndarray) -> np.ndarray:
            index = np.zeros(len(keys[rows]), np.int64)
            worlds = new_states(len(index))
            batch.worlds_batch(self.states, self.boxes, index, self.recall, keys[rows], worlds)
            return worlds

        return Decisions(observation[None], mask[None], keys, boxes=self.boxes, draw=draw)

    # ------------------------------------------------------------ results

    def scores(self) -> np.ndarray:
        """Scores as the table stands: int64 of shape (num_players, 9), columns `SCORE_NAMES` (SM-60 …)."""
        out = np.zeros((self.num_players, SCORES), np.int64)
        score(self._started(), self.box, out)
        return out

    def scores_json(self) -> list[dict[str, int]]:
        """Scores per seat by name, as the record's result line has them."""
        return [dict(zip(SCORE_NAMES, map(int, row), strict=True)) for row in self.scores()]

    def winners(self) -> list[int]:
        """Seats with the highest total, ties by stations (SM-67)."""
        scores = self.scores()
        seats = range(self.num_players)
        return [i for i in seats if not any(better(scores, j, i) for j in seats)]

    def rewards(self, mode: int) -> np.ndarray:
        """Final rewards by seat, float64; `mode` is an index in `REWARD_NAMES`."""
        out = np.zeros(self.num_players)
        mode = check_number("mode", mode, 0, len(REWARD_NAMES) - 1)
        rewards(self.scores(), self.num_players, mode, out)
        return out

    # ------------------------------------------------------------ copies

    def clone(self) -> Game:
        """An independent copy, random numbers included."""
        other = object.__new__(Game)
        other.__dict__.update(self.__dict__)
        other.states = self.states.copy()
        other._mask = self._mask.copy()
        return other

    def determinize(self, seat: int, seed: int) -> Game:
        """A game that this seat cannot tell from this one, hidden cards and tiles dealt anew (SM-73, SM-75).

        Every deal that agrees with what the seat knows is equally likely; with `observation="table"` it
        knows what lies on the table.
        """
        other = self.clone()
        state, box = self.states[0], self.box
        determinize(state, box, self._seat(seat), self.recall, check_seed(seed), other.states)
        return other

    def to_json(self) -> dict[str, Any]:
        """The whole game, hidden cards and random numbers included, as JSON types."""
        observation = OBSERVATIONS[self.recall]
        return setups.game_to_json(
            self._started(), self.components, self.rules, self.num_players, observation
        )

    @classmethod
    def from_json(cls, data: dict[str, Any], components: Any = None) -> Game:
        """Restore a game saved by `to_json`; refused with SetupError where it does not hold together."""
        rules, num_players, observation = setups.header_from_json(data)
        game = cls(num_players, rules, components, observation)
        setups.state_from_json(data, game.states[0], game.box, game.components)
        return game

    def setup_json(self) -> dict[str, Any]:
        """The set-up of a game just reset, as in interfaces.md section 2."""
        return setups.read(self._started(), self.components, self.num_players)

    def last_shuffle(self) -> list[str]:
        """Right after the move that formed the draw pile anew: that pile, next card first (SM-23)."""
        s = self._started()
        if not s.shuffles:
            raise SetupError("last_shuffle: the draw pile has not been formed anew yet")
        formed = len(self.components.cards) - int(s.epoch_size.sum())  # what was not in hands then
        return [self.components.cards[c].id for c in s.draw[:formed][::-1]]

    # ------------------------------------------------------------ moves in words

    def move(self, action: int) -> dict[str, Any]:
        """The move as the record writes it for people; IllegalActionError for one that has no words."""
        s = self._started()
        refused = self._not_an_action(action)
        if refused:
            raise IllegalActionError(refused)
        seat = int(s.player)
        kind = kind_of(action)
        if any(slot >= s.hand_size[seat] for slot in slots_of(action)):
            raise IllegalActionError(f"action {action}: the hand has only {s.hand_size[seat]} cards")
        if kind == "fly" and s.ship[seat] == NOWHERE:
            raise IllegalActionError(f"action {action}: the ship is on the jump gate (SM-25)")
        cards = [self.components.cards[s.hand[seat, i]].id for i in slots_of(action)]
        if kind == "top_up":
            return {"kind": kind, "discard": cards}
        if kind == "jump":
            return {"kind": kind, "card": cards[0], "planet": self.planet_name((action - JUMP) % RING)}
        if kind == "fly":
            step = 1 if action == FLY_NEXT else -1
            return {"kind": kind, "planet": self.planet_name((int(s.ship[seat]) + step) % RING)}
        if kind == "scan":
            return {"kind": kind, "card": cards[0]}
        if kind == "develop":
            return {"kind": kind, "cards": cards}
        if kind == "take":
            return {"kind": kind, "tile": KIND_NAMES[action - TAKE]}
        return {"kind": kind}

    def planet_name(self, p: int) -> str:
        """Name of the planet at a ring position."""
        p = check_number("planet", p, 0, RING - 1)
        return self.components.planets[self._started().ring[p]].name

    def why_illegal(self, action: Any) -> str | None:
        """None for a legal move of the player to act; else one line naming the move and the reason."""
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action.item()
        refused = self._not_an_action(action)
        if refused:
            return refused
        s = self.states[0]
        if s.num_players == 0:
            return f"action {action}: the game has not been reset"
        if s.phase == OVER:
            return f"action {action}: the game is over"
        action = int(action)
        batch.mask_batch(self.states, self.boxes, _FIRST, self._mask.reshape(1, -1))
        if self._mask[action]:
            return None
        named = f"player_{int(s.player)}: action {action} ({kind_of(action)})"
        return f"{named} is illegal: {self._reason(action)}"

    def _not_an_action(self, action: Any) -> str | None:
        if not is_whole(action):
            return f"action {shown(action)}: expected an integer from 0 to {ACTION_COUNT - 1}"
        if not 0 <= action < ACTION_COUNT:
            return f"action {shown(action)}: not in 0 to {ACTION_COUNT - 1}"
        return None

    def _reason(self, action: int) -> str:
        s, kind = self.states[0], kind_of(action)
        seat = int(s.player)
        here, size = int(s.ship[seat]), int(s.hand_size[seat])
        if (kind == "take") != (self.phase != "action"):
            return "a tile has to be picked now" if kind != "take" else "there is no tile pick now"
        if kind == "take":
            return f"no {KIND_NAMES[action - TAKE]} tile may be taken from this pile (SM-31, SM-45)"
        if any(slot >= size for slot in slots_of(action)):
            return f"the hand has only {size} cards"
        if kind in ("scan", "develop", "discover", "fly") and here == NOWHERE:
            return "the ship is on the jump gate (SM-25, SM-26)"
        if kind in ("jump", "scan", "develop") and s.supply[seat] == 0:
            return "no chip is left in the supply (SM-28)"
        if kind == "jump" and (action - JUMP) % RING == here:
            return "the ship is already there (SM-24)"
        if kind in ("scan", "develop") and s.station[here] != NOWHERE:
            return "the planet is developed (SM-30, SM-43)"
        closed = s.face_up[here] or s.taken[here] == PILE
        if kind == "scan" and closed and not self.rules.scan_face_up:
            return "there is nothing to look for in the pile (SM-35; option scan_face_up is off)"
        if kind == "develop" and not s.scanned[seat, here]:
            return "this player has not scanned the planet (SM-40)"
        if kind == "discover":
            undeveloped = s.station[here] == NOWHERE
            return "the planet is not developed (SM-45)" if undeveloped else "no point tile is left (SM-45)"
        cards = ", ".join(self.components.cards[s.hand[seat, i]].id for i in slots_of(action))
        if kind == "top_up" and not cards:
            return "the hand is full and nothing is discarded (SM-22; option empty_top_up is off)"
        if kind == "top_up" or self._served(action):
            return f"identical cards are named by their lowest slots ({cards})"
        return f"{cards} does not show the planet's coordinates (SM-10)"

    def _served(self, action: int) -> bool:
        # A move that fails only for naming the higher of identical cards: another index plays the same cards.
        same = self.move(action)
        return any(self.move(int(a)) == same for a in np.flatnonzero(self._mask))


_FIRST = np.zeros(1, np.int64)


def check_choice(what: str, value: Any, choices: tuple[str, ...]) -> int:
    """Index of a named choice, refused with one line where it is unknown."""
    if not isinstance(value, str) or value not in choices:
        raise SetupError(f"{what}: expected one of {', '.join(choices)}, not {shown(value)}")
    return choices.index(value)


__all__ = ["OBSERVATIONS", "REWARD_NAMES", "Game", "check_choice", "check_seed"]
