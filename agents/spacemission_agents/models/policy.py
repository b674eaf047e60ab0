"""Plays the moves that a trained network prefers: `policy:PATH`.

`policy:PATH` plays the most probable move. `policy:PATH?sample` samples a move from the network's policy, and
so does a model whose card says `mixed`. `policy:default` and `policy:scratch` come with the package; for a
folder with such a name write `policy:./default`. The network runs in a compiled kernel, not in BLAS, so that
a decision does not depend on the other rows of its batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from spacemission_agents.afterstates.network import RATED_INPUTS
from spacemission_agents.models.card import card_game, rules_mismatch
from spacemission_agents.models.folder import load_model
from spacemission_agents.models.network_input import find_network_input
from spacemission_env.core.agents import Agent, Decisions, GameInfo
from spacemission_env.core.decisions import check_decisions
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.reading import Json

T = TypeVar("T")
SAMPLE = "sample"
SHIP = ("default", "scratch")  # names of models in the package; a game may have one, both or none


class ScratchPool(Generic[T]):
    """A pool of scratch buffers; `make` makes another one when all are in use."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._free: list[T] = []

    @contextmanager
    def lend(self) -> Iterator[T]:
        """Lend a buffer to this thread alone; after an error, drop it, because it may be half written."""
        try:
            scratch = self._free.pop()  # atomic: no other thread gets the same buffer
        except IndexError:
            scratch = self._make()
        yield scratch
        self._free.append(scratch)


def probabilities_of(logits: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The softmax of the legal moves' logits: float64 (n, actions)."""
    legal = np.where(np.asarray(masks) > 0, logits.astype(np.float64), -np.inf)
    weights = np.exp(legal - legal.max(1, keepdims=True))
    policy: np.ndarray = weights / weights.sum(1, keepdims=True)
    return policy


class NetworkAgent(Agent):
    """Plays the moves of a network in memory; thread-safe.

    Attributes:
        arrays: the tensors of the network.
        network: the entry `network` of a model card.
        sample: whether `act` samples moves from the policy, by the decision's key.
    """

    def __init__(
        self, arrays: dict[str, np.ndarray], network: Json, spec: GameSpec, sample: bool = False
    ) -> None:
        """Make the network; a network whose card says `mixed` samples its moves too."""
        self.network, self._spec, self._game = network, spec, spec.name
        self.sample = sample or network.get("mixed", False)
        self._network_input = find_network_input(spec)
        if self._network_input.reads_afterstates(network):
            self.needs = self.needs | {"worlds"}
        self.load(arrays)

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Play with these weights from now on."""
        self.arrays = arrays
        self._networks = ScratchPool(self.new_network)

    def new_network(self) -> Any:
        """The network with scratch memory for one thread, as `NetworkInput.run_rows` takes it."""
        return self._network_input.new_network(self.arrays, self.network)

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row, int64 (n,); ties go to the lowest index.

        AgentError: the decisions are invalid.
        """
        return self._run(decisions)[0]

    def logits(self, decisions: Decisions) -> np.ndarray:
        """The network's output before masking: float32 (n, actions)."""
        return self._run(decisions)[1]

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """The network's policy, even if `act` does not sample moves from it: float64 (n, actions)."""
        return probabilities_of(self.logits(decisions), decisions.masks)

    def action_probabilities(self, decisions: Decisions) -> np.ndarray | None:
        """The policy if `act` samples moves from it, float64 (n, actions); else None."""
        return self.probabilities(decisions) if self.sample else None

    def _run(self, decisions: Decisions) -> tuple[np.ndarray, np.ndarray]:
        if decisions.game != self._spec.name:
            raise AgentError(f"agent 'policy': plays {self._spec.name}, asked for {decisions.game}")
        decisions = check_decisions(decisions, "policy", worlds="worlds" in self.needs)
        with self._networks.lend() as network:
            return self._network_input.run_rows(decisions, network, self.sample)


class PolicyAgent(NetworkAgent):
    """Plays the moves of a trained network: `policy:default`, or `policy:PATH` (a folder); thread-safe."""

    for_players = "Has learned the game by playing against itself. The strongest that moves at once."

    def __init__(self, parameter: str | None = None, game: str | GameSpec = DEFAULT_GAME) -> None:
        """Load `PATH` or `PATH?sample`; `default` and `scratch` are models of `game` in the package.

        AgentError: the model folder is missing or invalid.
        """
        path, mark, mode = (parameter or "").partition("?")
        if not path:
            raise AgentError(
                "agent 'policy': expected policy:PATH, the path of a model folder, or policy:default"
            )
        if mark and mode != SAMPLE:
            raise AgentError(f"agent 'policy': expected policy:PATH or policy:PATH?{SAMPLE}, not '?{mode}'")
        shipped = find_network_input(game).shipped
        if path in SHIP and path not in shipped:
            known = f"; policy:{', policy:'.join(shipped)} does" if shipped else ""
            raise AgentError(f"agent 'policy': no policy:{path} ships for {find_game(game).name}{known}")
        self.folder = shipped.get(path, Path(path))
        self.card, arrays = load_model(self.folder)
        super().__init__(arrays, self.card["network"], card_game(self.card), bool(mark))
        self.judges_moves = self._network_input.judges_moves(self.network)
        self.reads_ratings = self.network.get("input") in RATED_INPUTS

    def prepare(self, info: GameInfo) -> None:
        """Raise AgentError if the model was not trained for this game, its rules and its components."""
        where = f"model folder {str(self.folder)!r}"
        if info.game != self._spec.name:
            raise AgentError(f"{where}: it plays {self._spec.name}, the game is {info.game}")
        trained, shipped = self.card["components_sha256"], self._spec.load_components(None)
        if trained != info.components.sha256:
            was = f"{shipped.name!r}" if trained == shipped.sha256 else f"{trained[:12]}…"
            own = "" if info.components.sha256 == shipped.sha256 else " --components FILE"
            raise AgentError(
                f"{where}: components: trained with {was}, the game has {info.components.name!r} "
                f"({info.components.sha256[:12]}…); to train for these: "
                f"spacemission train{own} --players {info.num_players}"
            )
        problem = rules_mismatch(self.card, info.rules)
        if problem:
            raise AgentError(f"{where}: {problem}")
