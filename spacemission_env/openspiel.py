"""Registers every game with OpenSpiel: `pyspiel.load_game("spacemission_NAME(players=3)")`.

Importing this module registers the games (docs/openspiel.md). Each random draw of a move or a deal is a
chance node. A state has one attribute, a `Node`. Nodes never change, so clones of a state refer to the same
node.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, ClassVar

import numpy as np

from spacemission_env.core import game as core
from spacemission_env.core.errors import SetupError
from spacemission_env.core.game_spec import GameSpec, check_choice, loadable_games
from spacemission_env.core.reading import Json

try:
    import pyspiel
except ImportError as error:
    needed = "OpenSpiel is needed: pip install 'spacemission-env[openspiel]'"
    raise ImportError(needed, name=error.name) from None

OWN = ("players", "preset", "reward", "components")  # parameters of all games; the others are rules options
UNSET = -1  # a rules option whose default is no number
WRITTEN_KEY = 32  # an information-state key with more numbers is hashed, not written out


class Table:
    """What all states of a loaded game share: our game, its reward, and the first node."""

    def __init__(self, name: str, players: int | None, rules: str, components: str, reward: str) -> None:
        self.source = name, players, rules, components, reward
        self.game = core.make_game(name, players, rules or None, components or None)
        self.spec, self.players = self.game.spec, self.game.num_players
        self.mode = check_choice("reward", reward, self.spec.reward_names)
        self.limits = self.spec.limits(self.game.rules, self.players)
        self.first = self.node_after(self.game, None, ())

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[object, ...]]:
        return table_of, self.source

    def node_after(self, game: core.Game, action: int | None, tape: tuple[int, ...]) -> Node:
        """The node after a move (None: the deal) whose first draws have the outcomes in `tape`."""
        after, draws = game.by_chance(action, tape)
        left = draws[len(tape) :]
        if not left:
            return Node(self, after)
        if left[0][0] > self.limits.outcomes:
            raise SetupError(f"{self.spec.name}: limits: outcomes: a draw has {left[0][0]}")
        return Node(self, game.states, action, tape, left[0][0])


@lru_cache(maxsize=64)
def table_of(*source: Any) -> Table:
    """One table for each way to load a game."""
    return Table(*source)


class Node:
    """A place in the game tree; it never changes.

    Attributes:
        table: what the game's states share.
        states: one record of `spec.state`, before the pending move or the pending deal.
        action: the pending move (None: the deal).
        tape: outcomes of those of its draws that have been made.
        size: number of outcomes of the next draw; 0: a player is to act, or the game is over.
    """

    def __init__(
        self,
        table: Table,
        states: np.ndarray,
        action: int | None = None,
        tape: tuple[int, ...] = (),
        size: int = 0,
    ) -> None:
        self.table, self.states, self.action, self.tape, self.size = table, states, action, tape, size

    def __deepcopy__(self, memo: object) -> Node:
        return self

    @property
    def dealt(self) -> bool:
        return bool(self.states["num_players"][0])

    @cached_property
    def game(self) -> core.Game:
        """Our game at this node, with perfect recall; do not change it."""
        game = self.table.game.clone()
        game.states, game.recall = self.states, 1
        return game

    def after(self, outcome: int) -> Node:
        """The node after a move, or after an outcome of the pending draw."""
        if self.size:
            return self.table.node_after(self.game, self.action, (*self.tape, outcome))
        return self.table.node_after(self.game, outcome, ())


class State(pyspiel.State):
    """A state of OpenSpiel; `node` is its place in the tree."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.node = game.table.first

    def current_player(self) -> int:
        """The seat to act, or OpenSpiel's player id of chance or of the end."""
        player = pyspiel.PlayerId.CHANCE if self.node.size else self.node.game.player
        return int(pyspiel.PlayerId.TERMINAL if player is None else player)

    def is_terminal(self) -> bool:
        return not self.node.size and self.node.game.over

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.game.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes of the next draw, all equally likely."""
        return [(outcome, 1 / self.node.size) for outcome in range(self.node.size)]

    def _apply_action(self, action: int) -> None:
        self.node = self.node.after(action)

    def returns(self) -> list[float]:
        """Rewards of all seats; zeros before the end."""
        node, n = self.node, self.node.table.players
        return list(node.game.rewards(node.table.mode)) if self.is_terminal() else [0.0] * n

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        game = self.node.game
        legal = not self.node.size and game.player == player and not game.why_illegal(action)
        return game.move_text(action) if legal else f"{action}"

    def __str__(self) -> str:
        table = self.node.game.open_board() if self.node.dealt else ""
        move = "deal" if self.node.action is None else self.node.action
        return f"{table}{move}, draws {list(self.node.tape)}\n" if self.node.size else table

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> State:
        """Sample uniformly a state that the player cannot tell from this one; the state has no history.

        `sampler` returns numbers in [0, 1). A chance node raises SetupError.
        """
        if self.node.size:
            raise SetupError("resample_from_infostate: expected a decision or the end, not a chance node")
        world, other = self.node.game.determinize(player, int(sampler() * 2**53)), State(self.get_game())
        other.node = Node(self.node.table, world.states)
        return other

    def _to_struct(self) -> Json:
        seats = [self._to_observation_struct(seat) for seat in range(self.node.table.players)]
        return {"seats": seats, "move": self.node.action, "draws": list(self.node.tape)}

    def _to_observation_struct(self, player: int) -> Json:
        return self.node.game.seat_json(player) if self.node.dealt else {}

    def _action_to_struct(self, player: int, action: int) -> Json:
        return {"action": action, "move": self._action_to_string(player, action)}

    def _struct_to_actions(self, given: Json) -> list[int]:
        return [int(given["action"])]


class Observer:
    """Writes observations as the named pieces of our layout, with perfect recall or of the table alone."""

    def __init__(self, table: Table, recall: int) -> None:
        self.table, self.recall = table, recall
        self.tensor = np.zeros(table.spec.observation_size, np.float32)
        self.dict = {p.name: self.tensor[p.slice].reshape(p.shape) for p in table.spec.layout.values()}
        self._mask = np.zeros(table.spec.action_count, np.int8)

    def __reduce__(self) -> tuple[type[Observer], tuple[object, ...], np.ndarray]:
        return Observer, (self.table, self.recall), self.tensor

    def __setstate__(self, tensor: np.ndarray) -> None:
        self.tensor[:] = tensor  # in place, because the pieces are views of it

    def _game(self, state: State) -> core.Game:
        game = state.node.game
        if not self.recall:
            game = game.clone()
            game.recall = 0
        return game

    def set_from(self, state: State, player: int) -> None:
        """Write the observation of a player; zeros before the deal."""
        self.tensor.fill(0)
        if state.node.dealt:
            self._game(state).view(player, self.tensor, self._mask)

    def string_from(self, state: State, player: int) -> str:
        """With perfect recall the information-state key, else the table in words; empty before the deal."""
        game = self._game(state)
        if not state.node.dealt or not self.recall:
            return game.board(player) if state.node.dealt else ""
        key = game.information_state_key(player)
        if len(key) > 4 * WRITTEN_KEY:
            return f"player_{player} {hashlib.blake2b(key, digest_size=16).hexdigest()}"
        return " ".join(map(str, np.frombuffer(key, np.int32)))


class Game(pyspiel.Game):
    """A game of OpenSpiel; `table` holds ours. Each game is registered as a subclass with its `spec`."""

    spec: ClassVar[GameSpec]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Make a game from OpenSpiel's parameters; SpaceMissionError for a wrong parameter."""
        spec, known = self.spec, parameters_of(self.spec)
        given = {**known, **(params or {})}
        players, preset, reward, components = (given.pop(name) for name in OWN)
        options = [f"{name}={value}" for name, value in given.items() if value != known[name]]
        rules = ",".join([preset] * (preset != "") + options)
        self.table = table_of(spec.name, players, rules, components, reward)
        limits, zero = self.table.limits, reward in self.table.limits.zero_sum
        low, high = limits.bounds(reward)
        info = pyspiel.GameInfo(
            num_distinct_actions=spec.action_count, max_chance_outcomes=limits.outcomes,
            num_players=players, max_game_length=limits.decisions,
            min_utility=low, max_utility=high, utility_sum=0.0 if zero else None,
        )  # fmt: skip
        super().__init__(game_type(spec, zero), info, dict(params or {}))

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[object, ...]]:
        return load, (self.get_type().short_name, self.get_parameters())

    def new_initial_state(self) -> State:
        return State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: object = None) -> Observer | None:
        """An observer of what one player knows; None for other kinds, SetupError if there are `params`."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params:
            raise SetupError("observer: expected no parameters")
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return Observer(self.table, int(kind.perfect_recall))

    def max_chance_nodes_in_history(self) -> int:
        return 2**30  # no game reaches this


def load(name: str, parameters: Mapping[str, Any]) -> Game:
    """Load a game. A pickle refers to this function, so unpickling imports the module and registers games."""
    game: Game = pyspiel.load_game(name, parameters)
    return game


def parameters_of(spec: GameSpec) -> dict[str, Any]:
    """OpenSpiel's parameters and their defaults; a rules option at its default follows the preset."""
    rules, players, reward = spec.make_rules(None), spec.table_players(None), spec.payoff
    options = {name: value if isinstance(value, int) else UNSET for name, value in rules.to_json().items()}
    return dict(zip(OWN, (players, "", reward, ""), strict=True)) | options


def game_type(spec: GameSpec, zero_sum: bool) -> Any:
    """OpenSpiel's description of a game; `zero_sum`: whether the reward sums to zero."""
    kinds = pyspiel.GameType
    views = product(("information_state", "observation"), ("string", "tensor"))
    return kinds(
        short_name=f"spacemission_{spec.name}", long_name=spec.title, dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL, max_num_players=spec.max_players,
        min_num_players=spec.min_players, parameter_specification=parameters_of(spec),
        **{f"provides_{view}_{form}": True for view, form in views},
    )  # fmt: skip


for _spec in loadable_games():
    # Register a class: OpenSpiel's exit drops it without Python's lock, which would free any other object.
    pyspiel.register_game(game_type(_spec, True), type(_spec.name, (Game,), {"spec": _spec}))
