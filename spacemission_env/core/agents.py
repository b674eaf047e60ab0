"""Defines what an agent is, finds agents by their names, and checks what they answer.

The environment imports no agent: names are resolved through the entry points of the groups
`spacemission.agents` (for every game) and `spacemission.agents.GAME`.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import EntryPoint
from typing import TypeVar

import numpy as np

from spacemission_env.core.arguments import is_whole
from spacemission_env.core.decisions import Decisions, GameInfo
from spacemission_env.core.errors import AgentError, SetupError, did_you_mean, failure, shown
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, entries_of, find_game

__all__ = ["Agent", "Decisions", "FunctionAgent", "GameInfo"]

T = TypeVar("T")
AGENTS = "spacemission.agents"


class Worlds:
    """Makes games of sampled worlds (`Decisions.worlds`), with the components and options that were told."""

    def __init__(self, info: GameInfo) -> None:
        """`info`: of the games that the worlds are of."""
        self._info = info
        self._templates: dict[int, Game] = {}  # by number of players, made when first needed

    def are_of(self, info: GameInfo) -> bool:
        """Whether the agent was told this very game."""
        was = self._info
        return info is was or (
            (info.game, info.num_players, info.observation) == (was.game, was.num_players, was.observation)
            and info.rules == was.rules
            and info.components == was.components
        )

    def game(self, world: np.record) -> Game:
        """The world as a game of its own, for as many players as it has."""
        info, players = self._info, int(world["num_players"])
        template = self._templates.get(players)
        if template is None:
            template = make_game(info.game, players, info.rules, info.components, info.observation)
            # `info.rules` are those in force for `info.num_players`; the box has them for every number.
            template.parameters, template.t = info.parameters, info.parameters[0]
            self._templates[players] = template
        return template.from_world(world)


class Agent:
    """Base class of all agents. Override one of these: `choose` (one decision, the simplest),
    `choose_with_world` (the same with a sampled world to search in), `act` (many decisions at once).

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
    _worlds: Worlds | None = None  # of the game that it was told last

    def __init__(self, parameter: str | None = None) -> None:
        """Make the agent; refuse a bad parameter with AgentError."""
        if parameter is not None:
            raise AgentError(f"agent {type(self).__name__}: takes no parameter, got {parameter!r}")

    def prepare(self, info: GameInfo) -> None:
        """Learn which game is played next, or refuse it with AgentError; called before play, perhaps again.

        Override it for what depends on components or options and takes time. What a decision needs of them is
        in `Decisions.parameters` too: an agent that reads it there may sit in different games at once.
        """

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: integers (n,). This one asks `choose` row by row."""
        actions = np.zeros(len(decisions), np.int64)
        searches = type(self).choose_with_world is not Agent.choose_with_world
        for i in range(len(decisions)):
            rng = np.random.default_rng(int(decisions.keys[i]))
            asked = decisions.observations[i], decisions.masks[i], rng
            given = (
                self.choose_with_world(*asked, self._world(decisions, i)) if searches else self.choose(*asked)
            )
            actions[i] = one_integer(given, agent_name(self))
        return actions

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        """A legal action for one decision. `rng` is fresh for it: use no other randomness."""
        raise NotImplementedError("write choose(observation, mask, rng)")

    def choose_with_world(
        self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator, world: Game
    ) -> int:
        """As `choose`, with a world to search in; for agents with `wants_worlds = True`.

        The world is a game that the own seat, `world.player`, cannot tell from the true one. It is its own:
        play on in it, or in a `clone()`; `world.determinize(seat, seed)` draws another.
        """
        raise NotImplementedError("write choose_with_world(observation, mask, rng, world)")

    def probabilities(self, decisions: Decisions) -> np.ndarray | None:
        """How much each move is to this agent's mind, for people who look back on a game: float64
        (n, actions), each row adding up to 1. None, as here: it does not say.
        """
        return None

    def action_probabilities(self, decisions: Decisions) -> np.ndarray | None:
        """With which probability it plays each move, float64 (n, actions), where it draws by such; else None.

        The arena's corrections for luck (`--aivat`) then take out what the draw was worth.
        """
        return None

    def play(self, game: Game) -> int:
        """The legal action that this agent plays in a game at hand, such as `env.unwrapped.game` of an AEC
        environment; the game is not changed. AgentError: it fails; SetupError: nobody is to act.
        """
        if game.player is None:
            raise SetupError(f"play: the game is {'over' if game.over else 'not reset yet'}")
        if self._worlds is None or not self._worlds.are_of(game.info):
            prepare_agents([self], game.info)
        return int(act_alone(self, game.ask())[0])

    def _world(self, decisions: Decisions, i: int) -> Game:
        if decisions.worlds is None:
            raise AgentError(f"agent {agent_name(self)!r}: choose_with_world: expected wants_worlds = True")
        if self._worlds is None:
            raise AgentError(
                f"agent {agent_name(self)!r}: has not been told the game; call prepare_agents, or agent.play"
            )
        return self._worlds.game(decisions.worlds[i])


class FunctionAgent(Agent):
    """An agent that is a function: what it gets and gives is as for `Agent.choose`."""

    def __init__(self, function: Callable[[np.ndarray, np.ndarray, np.random.Generator], int]) -> None:
        """Make it of `function(observation, mask, rng) -> int`."""
        super().__init__()
        if not callable(function):
            raise AgentError(f"agent: expected a function, not {shown(function)}")
        self.function = function
        self.__name__ = agent_name(function)

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        """What the function says."""
        return self.function(observation, mask, rng)


def prepare_agents(agents: Iterable[Agent], info: GameInfo) -> None:
    """Tell every agent which game is played next; each object is told once.

    Raises:
        AgentError: one line, of the first agent that cannot play it, or whose `prepare` fails.
    """
    for agent in {id(one): one for one in agents}.values():
        _run_theirs(partial(agent.prepare, info), f"agent {agent_name(agent)}: prepare: failed with ")
        agent._worlds = Worlds(info)


def reads_observations(agent: Agent) -> bool:
    """Whether an agent has to be given observations."""
    return bool(vars(type(agent)).get("reads_observations", True))


def acts_in_parts(agent: Agent) -> bool:
    """Whether an agent may be asked from several threads at once."""
    return bool(vars(type(agent)).get("in_parts", False)) and not agent.wants_worlds


def act_alone(agent: Agent, decisions: Decisions) -> np.ndarray:
    """What one agent plays in all of these decisions: int64 (n,).

    Raises:
        AgentError: the agent fails, or its answer is no integers.
    """
    return answered(agent, decisions.part(agent, np.arange(len(decisions))))


def agent_entries(game: str | GameSpec = DEFAULT_GAME) -> dict[str, EntryPoint]:
    """Entry points of the agents of a game by their names: those for all games, and its own before them."""
    return entries_of(AGENTS, f"{AGENTS}.{find_game(game).name}")


def agent_names(game: str | GameSpec = DEFAULT_GAME) -> list[str]:
    """Names that `make_agent` knows for a game, besides `module:Class`."""
    return sorted(agent_entries(game))


def make_agent(spec: object, game: str | GameSpec = DEFAULT_GAME) -> Agent:
    """An agent from its spec: `random`, `greedy`, `policy:PATH`, `module:Class`; an Agent itself, or a
    function `(observation, mask, rng) -> int`.

    Names are those of `game`: another game's `greedy` is another agent.

    Raises:
        AgentError: one line naming the spec and what is wrong.
    """
    if isinstance(spec, Agent):
        return spec
    if callable(spec) and not inspect.isclass(spec):
        return FunctionAgent(spec)
    if not isinstance(spec, str) or not spec.strip():
        expected = "a name such as 'random' or 'policy:PATH', an Agent, or a function"
        raise AgentError(f"agent {shown(spec)}: expected {expected}")
    name, colon, rest = spec.strip().partition(":")
    entry = agent_entries(game).get(name)
    if entry is not None:
        return _made(spec, partial(_load_and_make, entry, rest if colon else None, game))
    if not colon:
        known = agent_names(game)
        near = did_you_mean(name, known) or f"; known: {', '.join(known)}, or module:Class"
        raise AgentError(f"agent {spec!r}: unknown{near}")
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


def _load_and_make(entry: EntryPoint, parameter: str | None, game: str | GameSpec) -> object:
    cls = entry.load()
    made: object = cls(parameter, game) if getattr(cls, "takes_game", False) else cls(parameter)
    return made


def _made(spec: str, make: Callable[[], object]) -> Agent:
    agent = _run_theirs(make, f"agent {spec!r}: cannot be made: ")
    if not isinstance(agent, Agent):
        raise AgentError(f"agent {spec!r}: cannot be made: it is no Agent")
    return agent


def _run_theirs(call: Callable[[], T], what: str) -> T:
    """Run an agent's own code. Whatever it raises becomes one line: also `SystemExit`, which would end the
    command as if all were well, and what derives from `BaseException` alone. Ctrl-C stays Ctrl-C.
    """
    try:
        return call()
    except (AgentError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise AgentError(f"{what}{failure(error)}") from error


# ---------------------------------------------------------------- names, mixtures and answers


def label_and_spec(text: str) -> tuple[str | None, str]:
    """What stands before and after the = of `label=spec`; without a label None, and the text.

    In `policy:runs/lr=0.1/model` there is no label: one stands before the first colon.
    """
    label, equals, spec = text.partition("=")
    return (label.strip(), spec.strip()) if equals and ":" not in label else (None, text)


def agent_name(agent: object) -> str:
    """What an agent, a function or a spec is called in messages, tables and records; a label comes first."""
    if isinstance(agent, str):
        label, spec = label_and_spec(agent)
        return spec if label is None else label
    if isinstance(agent, partial):
        agent = agent.func
    name = getattr(agent, "__name__", None)  # of functions, and agents made of them
    return name if isinstance(name, str) and name.isprintable() else type(agent).__name__


def answered(agent: Agent, decisions: Decisions, name: str | None = None) -> np.ndarray:
    """What an agent plays in these decisions, as it may see them (`Decisions.part`): int64 (n,).

    Whether the moves are legal is for the game to say. AgentError names the agent (`name`, else its own): it
    failed, and where in its code, or answers no integers.
    """
    who = agent_name(agent) if name is None else name
    try:
        given = agent.act(decisions)
    except AgentError:
        raise
    except (Exception, SystemExit) as error:  # a limit of time (arena) and Ctrl-C pass
        raise AgentError(f"agent {who!r}: failed with {failure(error)}") from error
    try:
        return integers(given, len(decisions))
    except AgentError as error:
        raise AgentError(f"agent {who!r}: {error}") from None


def integers(given: object, count: int) -> np.ndarray:
    """An answer to `count` decisions as int64 (count,); AgentError, one line, where it is no integers."""
    try:
        array = np.asarray(given)
    except Exception as error:
        raise AgentError(f"act: answer of no form: {failure(error)}") from None
    if array.shape == (count,) and (array.dtype.kind in "iu" or count == 0):
        return array.astype(np.int64)
    got = shown(given) if array.ndim <= 1 and array.size <= 1 else f"{array.dtype} of shape {array.shape}"
    expected = f"{count} integer{'s' * (count != 1)}"
    raise AgentError(f"act: expected {expected}, got {got} ({type(given).__name__})")


def one_integer(given: object, who: str) -> int:
    """The answer to one decision as an int; AgentError, one line, where it is no integer.

    Arrays without a dimension are taken as their number.
    """
    number = given.item() if isinstance(given, np.ndarray) and given.shape == () else given
    if is_whole(number):
        return int(number)
    got = f"{shown(given)} ({type(given).__name__})"
    raise AgentError(f"agent {who!r}: choose: expected an integer, got {got}")


def parse_mixture(text: str) -> dict[str, float]:
    """Shares by name from ``"random=0.2,greedy=0.3,latest=0.2,past=0.3"``; they are scaled to sum to 1.

    A name is an agent's spec (`random`, `greedy`, `policy:PATH`, …); a training run also knows `latest` and
    `past`. The share follows the last "=" of an entry.

    Raises:
        AgentError: one line naming the entry.
    """
    shares: dict[str, float] = {}
    for entry in text.split(","):
        name, equals, number = (part.strip() for part in entry.rpartition("="))
        try:
            share = float(number)
        except ValueError:
            share = -1.0
        if not equals or not name or not 0 <= share < float("inf"):
            raise AgentError(f"opponents: {entry.strip()!r}: expected name=share, such as greedy=0.3")
        if name in shares:
            raise AgentError(f"opponents: {name!r} is named twice")
        shares[name] = share
    total = sum(shares.values())
    if total <= 0:
        raise AgentError("opponents: all shares are 0")
    return {name: share / total for name, share in shares.items() if share > 0}
