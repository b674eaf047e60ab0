"""What an agent is, what it is told and asked, and how one is found by its name.

The environment imports no agent: names are resolved through the entry points of the group
`spacemission.agents` (for every game) and `spacemission.agents.GAME`, where the package's own agents stand
beside any that others add.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import numpy as np

from spacemission_env.core.errors import AgentError, first_line
from spacemission_env.core.game_spec import DEFAULT_GAME, Components, GameSpec, Rules, find_game

AGENTS = "spacemission.agents"


@dataclass(frozen=True)
class GameInfo:
    """What an agent is told before its first game: public facts, the same for all seats.

    Attributes:
        num_players: of a game; where games of different sizes are played side by side, the most.
        rules: every option, as in force for `num_players`.
        components: what is in the box.
        observation: "perfect_recall" or "table".
        boxes: components and options as compiled code reads them: one record (1,), read-only.
        game: name of the game.
    """

    num_players: int
    rules: Any
    components: Any
    observation: str
    boxes: np.ndarray
    game: str = DEFAULT_GAME

    @classmethod
    def of(
        cls, num_players: int, rules: Rules, components: Components, game: str | GameSpec = DEFAULT_GAME
    ) -> GameInfo:
        """Of games with perfect recall, for front ends that have made none yet (else `Game.info`)."""
        spec = find_game(game)
        boxes = spec.make_box(components, rules)
        return cls(
            num_players, rules.for_players(num_players), components, "perfect_recall", boxes, spec.name
        )


@dataclass(frozen=True)
class Decisions:
    """A batch of decisions, one a row; all that an agent gets to see.

    Attributes:
        observations: float32 (n, observation_size), each from the acting seat; (n, 0) for agents that do not
            read them.
        masks: int8 (n, actions), 1 for a legal action.
        keys: int64 (n,), one fresh random number a decision. An agent draws all its chance from
            these, so that it plays the same in every front end, alone or in a batch.
        worlds: only for agents with `wants_worlds`: records of the game's state (n,), in each row a full
            state that the acting seat cannot tell from the true one, drawn by `determinize`. Drawing
            again from such a world gives what drawing from the true state would: that one is not needed.
        boxes: the box and options that are played with, public facts: one record (1,), read-only.
            Decisions made by hand without it are taken to be of the box that ships.
        game: name of the game.
    """

    observations: np.ndarray
    masks: np.ndarray
    keys: np.ndarray
    worlds: np.ndarray | None = None
    boxes: np.ndarray | None = None
    game: str = DEFAULT_GAME
    # Of the front end, never handed to an agent: draws the worlds of some rows (`part`).
    draw: Callable[[np.ndarray], np.ndarray] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Fill in the default box where none is given."""
        if self.boxes is None:
            object.__setattr__(self, "boxes", find_game(self.game).default_boxes())

    def __len__(self) -> int:
        """Number of decisions."""
        return len(self.keys)

    def cut(self, first: int, stop: int) -> Decisions:
        """The rows from `first` to before `stop`, not copied, without worlds: for what acts `in_parts`."""
        rows = slice(first, stop)
        return Decisions(
            self.observations[rows], self.masks[rows], self.keys[rows], boxes=self.boxes, game=self.game
        )

    def part(self, agent: Agent, rows: np.ndarray) -> Decisions:
        """Those rows as this agent may see them: with worlds if it wants them, without their source.

        Raises:
            AgentError: the agent wants worlds and nothing here can draw them.
        """
        chosen = self.observations[rows], self.masks[rows], self.keys[rows]
        if not agent.wants_worlds:
            return Decisions(*chosen, boxes=self.boxes, game=self.game)
        if self.worlds is not None:
            return Decisions(*chosen, self.worlds[rows], self.boxes, self.game)
        if self.draw is None:
            raise AgentError(
                f"agent {type(agent).__name__}: wants sampled worlds, which are not offered here"
            )
        return Decisions(*chosen, self.draw(rows), self.boxes, self.game)


class Agent:
    """Base class of all agents. Override `act` (batches), or `choose` (one decision, simpler).

    Before its first game, and whenever the game changes, an agent is told what is played: `prepare`.

    The constructor takes the text after the colon of the spec (`"name:parameter"`), or None.

    Attributes:
        wants_worlds: True for agents that search: their `Decisions` come with sampled worlds.
        takes_game: True for agents of several games whose constructor takes the game as second argument.
        reads_observations: False for agents that decide by masks and keys alone: their `Decisions` may come
            without observations, (n, 0).
        in_parts: True for agents whose `act` may be called from several threads at once, each with a part of
            the batch, and which keep none of the arrays that they are given.

    The last two count only where an agent's own class says them: a subclass may do otherwise.
    """

    wants_worlds = False
    takes_game = False
    reads_observations = True
    in_parts = False

    def __init__(self, parameter: str | None = None) -> None:
        """Make the agent; refuse a bad parameter with AgentError."""
        if parameter is not None:
            raise AgentError(f"agent {type(self).__name__}: takes no parameter, got {parameter!r}")

    def prepare(self, info: GameInfo) -> None:
        """Learn which game is played next, or refuse it; called before play, perhaps more than once.

        Override it for what depends on the box or the options and takes time. What a decision needs of them
        is also in `Decisions.boxes`: an agent that reads it there may sit in different games at once.

        Raises:
            AgentError: one line that says why this agent cannot play this game.
        """
        check = getattr(self, "check_game", None)  # how agents refused a game before there was `prepare`
        if check is not None:
            check(info.components.sha256, info.rules)

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: integers of shape (n,)."""
        actions = np.zeros(len(decisions), np.int64)
        for i in range(len(decisions)):
            rng = np.random.default_rng(int(decisions.keys[i]))
            actions[i] = self.choose(decisions.observations[i], decisions.masks[i], rng)
        return actions

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        """A legal action for one decision. `rng` is fresh for it: use no other randomness."""
        raise NotImplementedError


def prepare_agents(agents: Iterable[Agent], info: GameInfo) -> None:
    """Tell every agent which game is played next; each object is told once.

    Raises:
        AgentError: one line, of the first agent that cannot play it, or whose `prepare` fails.
    """
    for agent in {id(one): one for one in agents}.values():
        _run_theirs(partial(agent.prepare, info), f"agent {type(agent).__name__}: prepare: failed with ")


def reads_observations(agent: Agent) -> bool:
    """Whether an agent has to be given observations."""
    return bool(vars(type(agent)).get("reads_observations", True))


def acts_in_parts(agent: Agent) -> bool:
    """Whether an agent may be asked from several threads at once."""
    return bool(vars(type(agent)).get("in_parts", False)) and not agent.wants_worlds


def act_alone(agent: Agent, decisions: Decisions) -> np.ndarray:
    """What one agent plays in all of these decisions: integers (n,)."""
    return agent.act(decisions.part(agent, np.arange(len(decisions))))


def _entries(game: str | GameSpec) -> dict[str, EntryPoint]:
    # Of all games, and of this one.
    groups = (AGENTS, f"{AGENTS}.{find_game(game).name}")
    return {entry.name: entry for group in groups for entry in entry_points(group=group)}


def agent_names(game: str | GameSpec = DEFAULT_GAME) -> list[str]:
    """Names that `make_agent` knows for a game, besides `module:Class`."""
    return sorted(_entries(game))


def make_agent(spec: Any, game: str | GameSpec = DEFAULT_GAME) -> Agent:
    """An agent from its spec: `random`, `greedy`, `policy:PATH`, `module:Class`; or an Agent itself.

    Names are those of `game`: another game's `greedy` is another agent.

    Raises:
        AgentError: one line naming the spec and what is wrong.
    """
    if isinstance(spec, Agent):
        return spec
    if not isinstance(spec, str) or not spec.strip():
        raise AgentError(f"agent {spec!r}: expected a name such as 'random' or 'policy:PATH'")
    name, colon, rest = spec.strip().partition(":")
    entry = _entries(game).get(name)
    if entry is not None:
        return _made(spec, partial(_load_and_make, entry, rest if colon else None, game))
    if not colon:
        raise AgentError(f"agent {spec!r}: unknown; known: {', '.join(agent_names(game))}, or module:Class")
    return _from_module(spec, name, rest)


def _from_module(spec: str, module_name: str, rest: str) -> Agent:
    class_name, colon, parameter = rest.partition(":")
    if "" not in sys.path:  # a user's module in the working folder, as with `python -m`
        sys.path.insert(0, "")
    what = f"agent {spec!r}: cannot import module {module_name!r}: "
    module = _run_theirs(partial(importlib.import_module, module_name), what)
    cls = _run_theirs(partial(getattr, module, class_name, None), what)
    if not inspect.isclass(cls) or not issubclass(cls, Agent):
        raise AgentError(f"agent {spec!r}: {module_name!r} has no Agent class {class_name!r}")
    return _made(spec, partial(cls, parameter) if colon else cls)


def _load_and_make(entry: EntryPoint, parameter: str | None, game: str | GameSpec) -> Any:
    cls = entry.load()
    return cls(parameter, game) if getattr(cls, "takes_game", False) else cls(parameter)


def _made(spec: str, make: Callable[[], Any]) -> Agent:
    agent = _run_theirs(make, f"agent {spec!r}: cannot be made: ")
    if not isinstance(agent, Agent):
        raise AgentError(f"agent {spec!r}: cannot be made: it is no Agent")
    return agent


def _run_theirs(call: Callable[[], Any], what: str) -> Any:
    """Run an agent's own code. Whatever it raises becomes one line: also `SystemExit`, which would end the
    command as if all were well, and what derives from `BaseException` alone. Ctrl-C stays Ctrl-C.
    """
    try:
        return call()
    except (AgentError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise AgentError(f"{what}{type(error).__name__}: {first_line(error)}") from error
