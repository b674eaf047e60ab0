"""Registers every game with OpenSpiel: `pyspiel.load_game("spacemission_NAME(players=3)")`.

Importing this module registers the games (docs/openspiel.md). Each draw of a move or a deal is a chance node.
A state has one attribute, a `Node` that never changes, so a clone is a reference to it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyspiel

from spacemission_env.core.chance import draws_of, with_tape, without_tape
from spacemission_env.core.constants import ILLEGAL_MOVE
from spacemission_env.core.errors import IllegalActionError, SetupError, shown
from spacemission_env.core.game import Game as CoreGame
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import GameSpec, check_choice, loadable_games
from spacemission_env.core.reading import Json

PREFIX = "spacemission_"
OWN = ("players", "preset", "reward", "components")  # parameters of every game; the others are rules options
UNSET = -1  # a rules option whose default is no number
WRITTEN_KEY = 32  # numbers of an information-state key that is written out; longer ones are hashed
MOST_NODES = 2**30  # OpenSpiel counts in 32 bits
ANY_REWARD = 1e6  # of a game that does not know its bounds
_FIRST = np.zeros(1, np.int64)


class Table:
    """What all states of a loaded game share: our game, its reward, and the first node."""

    def __init__(self, name: str, players: int | None, rules: str, components: str, reward: str) -> None:
        """Make the game and find its first draw; arguments as parameters of OpenSpiel."""
        self.source = name, players, rules, components, reward
        self.game = make_game(name, players, rules or None, components or None)
        self.spec, self.players = self.game.spec, self.game.num_players
        self.mode = check_choice("reward", reward, self.spec.reward_names)
        self.limits = self.spec.limits(self.game.rules, self.players)
        self._mask = np.zeros((1, self.spec.action_count), np.int8)
        self.first = self.play(None, None, ())

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[object, ...]]:
        return table_of, self.source

    def play(self, states: np.ndarray | None, action: int | None, tape: tuple[int, ...]) -> Node:
        """The node after a move (None: the deal) with the outcomes of its first draws."""
        held = with_tape(self.game.states if states is None else states, tape)
        batch, t = self.spec.batch, self.game.parameters
        if action is None:
            batch.deal_one(held, 0, t, self.players, 0)
        elif batch.step_checked(held, t, action) == ILLEGAL_MOVE:
            raise IllegalActionError(self.at(states).why_illegal(action))
        draws = draws_of(held, tape, False)
        if len(draws) > len(tape):
            size = draws[len(tape)][0]
            if size > self.limits.outcomes:
                raise SetupError(f"{self.spec.name}: limits: a draw has {size} outcomes, more than outcomes")
            return Node(self, states, action, tape, size)
        return Node(self, without_tape(held, self.spec.state))

    def at(self, states: np.ndarray | None, recall: int = 1) -> CoreGame:
        """Our game in a state, not to be changed."""
        game = self.game.clone()
        game.states, game.recall = self.game.states if states is None else states, recall
        return game

    def legal(self, states: np.ndarray) -> list[int]:
        """Legal actions, ascending."""
        self.spec.batch.mask_batch(states, self.game.parameters, _FIRST, self._mask)
        legal: list[int] = np.flatnonzero(self._mask[0]).tolist()
        return legal


@lru_cache(maxsize=64)
def table_of(*source: Any) -> Table:
    """One table for each way to load a game."""
    return Table(*source)


class Node(NamedTuple):
    """A place in the game tree; it never changes.

    Attributes:
        table: what the game's states share.
        states: one record of `spec.state`, before the pending move; None before the deal.
        action: the pending move (None: the deal), of which the draws in `tape` are made.
        size: number of outcomes of the next draw; 0: a player is to act, or the game is over.
    """

    table: Table
    states: np.ndarray | None
    action: int | None = None
    tape: tuple[int, ...] = ()
    size: int = 0

    def __deepcopy__(self, memo: object) -> Node:
        return self

    def after(self, move: int) -> Node:
        """The node after an action or a chance outcome."""
        if self.size:
            return self.table.play(self.states, self.action, (*self.tape, move))
        return self.table.play(self.states, move, ())

    @property
    def game(self) -> CoreGame:
        return self.table.at(self.states)


class State(pyspiel.State):  # type: ignore[misc]
    """A state of OpenSpiel; `node` is its place in the tree."""

    def __init__(self, game: Game) -> None:
        """For `Game.new_initial_state` only."""
        super().__init__(game)
        self.node = game.table.first

    def current_player(self) -> int:
        """Seat to act, or OpenSpiel's id of chance or of the end."""
        if self.node.size:
            return int(pyspiel.PlayerId.CHANCE)
        s = self.node.states
        return int(pyspiel.PlayerId.TERMINAL) if s["over"][0] else int(s["player"][0])  # type: ignore[index]

    def is_terminal(self) -> bool:
        return not self.node.size and bool(self.node.states["over"][0])  # type: ignore[index]

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.table.legal(self.node.states)  # type: ignore[arg-type]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes of the next draw, all equally likely."""
        size = self.node.size
        return [(outcome, 1 / size) for outcome in range(size)]

    def _apply_action(self, action: int) -> None:
        self.node = self.node.after(action)

    def returns(self) -> list[float]:
        """Rewards of all seats; zeros before the end."""
        table, out = self.node.table, np.zeros((1, self.node.table.players))
        if self.is_terminal():
            table.spec.batch.rewards_batch(self.node.states, table.game.parameters, _FIRST, table.mode, out)
        returns: list[float] = out[0].tolist()
        return returns

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        game = self.node.game
        legal = not self.node.size and game.player == player and not game.why_illegal(action)
        return f"{action}: {game.words(action)}" if legal else f"{action}"

    def __str__(self) -> str:
        node = self.node
        table = "" if node.states is None else node.game.open_board()
        move = f"{'deal' if node.action is None else f'move {node.action}'}, draws {list(node.tape)}\n"
        return table + (move if node.size else "")

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> State:
        """A state that the player cannot tell from this one; all such states are equally likely.

        SetupError at a chance node. `sampler` returns numbers in [0, 1). The new state has no history.
        """
        if self.node.size:
            raise SetupError("resample_from_infostate: expected a decision or the end, not a chance node")
        other = self.get_game().new_initial_state()
        other.node = Node(self.node.table, self.node.game.determinize(player, int(sampler() * 2**53)).states)
        return other  # type: ignore[no-any-return]

    def _to_struct(self) -> Json:
        node, state = self.node, self.node.states
        seats = [] if state is None else [node.game.seat_json(seat) for seat in range(node.table.players)]
        kept = None if state is None else base64.b64encode(state.tobytes()).decode()
        return {"seats": seats, "state": kept, "move": node.action, "draws": list(node.tape)}

    def _to_observation_struct(self, player: int) -> Json:
        return {} if self.node.states is None else self.node.game.seat_json(player)

    def _action_to_struct(self, player: int, action: int) -> Json:
        if player == pyspiel.PlayerId.CHANCE:
            return {"action": action, "kind": "draw"}
        return {"action": action, **self.node.game.move(action)}

    def _struct_to_actions(self, given: Json) -> list[int]:
        return [int(given["action"])]


class Observer:
    """Writes the pieces of our layout by name: with perfect recall, or only what is on the table now."""

    def __init__(self, table: Table, recall: int) -> None:
        """`recall`: 1 with perfect recall, else 0."""
        self.table, self.recall = table, recall
        self.tensor = np.zeros(table.spec.observation_size, np.float32)
        pieces = table.spec.layout.values()
        self.dict = {piece.name: self.tensor[piece.slice].reshape(piece.shape) for piece in pieces}
        self._mask = np.zeros(table.spec.action_count, np.int8)

    def set_from(self, state: State, player: int) -> None:
        """Write the observation of a player; zeros before the deal."""
        table, states = self.table, state.node.states
        if states is None:
            self.tensor.fill(0)
            return
        view = states, 0, table.game.parameters, player, self.recall, self.tensor, self._mask
        table.spec.batch.view_one(*view)

    def string_from(self, state: State, player: int) -> str:
        """The information state as a short exact key, or the table in words; empty before the deal."""
        states = state.node.states
        if states is None:
            return ""
        if not self.recall:
            return self.table.at(states, 0).board(player)
        key = self.table.at(states).information_state_key(player)
        if len(key) > 4 * WRITTEN_KEY:
            return f"player_{player} {hashlib.blake2b(key, digest_size=16).hexdigest()}"
        return " ".join(map(str, np.frombuffer(key, np.int32)))


class Game(pyspiel.Game):  # type: ignore[misc]
    """A game of OpenSpiel; `table` is ours. Each game is registered as a subclass with its `spec`."""

    spec: ClassVar[GameSpec]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Make a game from OpenSpiel's parameters.

        Raises:
            RulesError, ComponentsError, SetupError: a parameter is refused.
        """
        spec = self.spec
        known = parameters_of(spec)
        given = {**known, **(params or {})}
        number, preset, reward, components = (given.pop(name) for name in OWN)
        options = [f"{name}={value}" for name, value in given.items() if value != known[name]]
        rules = ",".join([str(preset)] * (preset != "") + options)
        self.table = table = table_of(spec.name, number, rules, str(components), str(reward))
        limits, zero = table.limits, reward in table.limits.zero_sum
        most = 1 if reward in ("win", "rank") else ANY_REWARD
        low, high = limits.rewards.get(str(reward), (-most, most))
        info = pyspiel.GameInfo(
            num_distinct_actions=spec.action_count, max_chance_outcomes=limits.outcomes,
            num_players=table.players, min_utility=low, max_utility=high, utility_sum=0.0 if zero else None,
            max_game_length=limits.decisions,
        )  # fmt: skip
        super().__init__(game_type(spec, zero), info, dict(params or {}))

    def new_initial_state(self, given: object = None) -> State:
        """The state before the deal, or that of a state's struct (SetupError if it is not valid)."""
        state = State(self)
        if given is not None:
            state.node = self._from_struct(given)
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: object = None) -> Observer:
        """An observer of one player, with perfect recall or without; SetupError for other kinds."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        single = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if params or not kind.public_info or not single:
            raise SetupError(
                "observer: expected public information and that of a single player, no parameters"
            )
        return Observer(self.table, int(kind.perfect_recall))

    def max_chance_nodes_in_history(self) -> int:
        """A bound that is never reached."""
        return MOST_NODES

    def _from_struct(self, given: object) -> Node:
        if not isinstance(given, Mapping) or not {"state", "move", "draws"} <= set(given):
            raise SetupError(f"struct: expected state, move and draws, not {shown(given)}")
        table, states, move = self.table, None, given["move"]
        if given["state"] is not None:
            try:
                states = np.frombuffer(
                    base64.b64decode(given["state"], validate=True), table.spec.state
                ).copy()
            except (TypeError, ValueError) as error:
                raise SetupError(f"struct: state: {error}") from None
            states = table.game.from_world(states).states
            if move is None:
                return Node(table, states)
            move = table.game.check_action(move)
        return table.play(states, move, tuple(given["draws"]))


def parameters_of(spec: GameSpec) -> dict[str, int | bool | str]:
    """OpenSpiel's parameters of a game and their defaults; their types are fixed.

    A rules option with its printed value has that of the preset. UNSET stands for a default in words.
    """
    limits = spec.limits(spec.make_rules(None), spec.table_players(None))
    reward = next((name for name in reversed(spec.reward_names) if name in limits.zero_sum), "win")
    own = dict(zip(OWN, (spec.table_players(None), "", reward, ""), strict=True))
    options = spec.make_rules(None).to_json().items()
    return own | {name: value if isinstance(value, int) else UNSET for name, value in options}


def game_type(spec: GameSpec, zero_sum: bool) -> Any:
    """OpenSpiel's description of a game with a zero-sum reward or another."""
    kinds = pyspiel.GameType
    return kinds(
        short_name=PREFIX + spec.name, long_name=spec.title, dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL, max_num_players=spec.max_players,
        min_num_players=spec.min_players, provides_information_state_string=True,
        provides_information_state_tensor=True, provides_observation_string=True,
        provides_observation_tensor=True, parameter_specification=parameters_of(spec),
    )  # fmt: skip


for _spec in loadable_games():
    # A class, because at exit OpenSpiel lets go of it without Python's lock: anything else would be freed then.
    pyspiel.register_game(game_type(_spec, True), type(_spec.name, (Game,), {"spec": _spec}))
