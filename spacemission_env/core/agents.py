"""Defines agents, finds them by name, and checks their actions.

The environment package imports no agent. An agent's name is an entry point of the group `spacemission.agents`
(for every game) or `spacemission.agents.GAME` (for one game).
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Set
from functools import partial, wraps
from importlib.metadata import EntryPoint
from typing import TypeVar

import numpy as np

from spacemission_env.core.arguments import INT64, is_whole
from spacemission_env.core.decisions import Decisions, GameInfo, check_decisions
from spacemission_env.core.errors import AgentError, SetupError, did_you_mean, failure, shown
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, entries_of, find_game

__all__ = ["Agent", "Decisions", "FunctionAgent", "GameInfo"]

T = TypeVar("T")
AGENTS = "spacemission.agents"
NEEDS = ("observations", "whole_numbers", "worlds", "games")
DECIDE = {"act", "choose", "choose_with_world", "probabilities", "action_probabilities"}  # deciding methods


class Worlds:
    """Turns sampled worlds (`Decisions.worlds`) into games with the components and options of `GameInfo`."""

    def __init__(self, info: GameInfo) -> None:
        self.info = info
        self._templates: dict[int, Game] = {}  # by number of players

    def are_of(self, info: GameInfo) -> bool:
        """Whether these worlds belong to the game that `info` describes."""
        was = self.info
        return info is was or (
            (info.game, info.num_players, info.observation) == (was.game, was.num_players, was.observation)
            and info.rules == was.rules
            and info.components == was.components
        )

    def game(self, world: np.record) -> Game:
        """The sampled world as a game of its own."""
        info, players = self.info, int(world["num_players"])
        template = self._templates.get(players)
        if template is None:
            template = make_game(info.game, players, info.rules, info.components, info.observation)
            # `info.rules` apply to `info.num_players` players only, but `info.parameters` to any number.
            template.parameters, template.t = info.parameters, info.parameters[0]
            self._templates[players] = template
        return template.from_world(world)


class Agent:
    """Base class of all agents.

    Override one method: `choose` (one decision, the simplest), `choose_with_world` (one decision with a
    sampled world to search), or `act` (many decisions at once). `prepare` is called before the agent's first
    game, and again whenever the game changes.

    The constructor takes the text after the colon of the name (`"name:parameter"`), or None. If it has an
    argument `game`, it also gets the game.

    Attributes:
        needs: what its `Decisions` must hold beside masks and keys. "observations": observations as floats;
            "whole_numbers": compact observations, uint8 (docs/observation.md); "worlds": sampled worlds
            to search in; "games": the games themselves, for agents that describe to somebody else what the
            acting seat may know. An agent that needs neither form of observation may get empty ones, (n, 0).
        in_parts: True for agents whose `act` may run in several threads at once, each with a part of the
            batch. Such an agent must not keep the arrays that it gets. Subclasses do not inherit this value.
        seconds_per_decision: the agent's time limit, if it is longer than the arena's; None: the arena's
            limit holds.
        games_at_once: how many games a tournament should let the agent play at once, if it has that many.
        for_players: what kind of opponent the agent is, for people who choose one; "": they see the first
            line of the class's docstring.

    If a subclass overrides a deciding method and does not set `needs`, it gets observations as floats,
    because the new method may read them, and the worlds and games that its base class needs.
    """

    needs: Set[str] = frozenset({"observations"})
    in_parts = False
    seconds_per_decision: float | None = None
    games_at_once = 1
    for_players = ""
    _worlds: Worlds | None = None  # made by `prepare_agents`
    _game = DEFAULT_GAME  # for `choose` before `prepare_agents`; set by `make_agent`

    def __init_subclass__(cls, **options: object) -> None:
        """Check the class's `needs`; if the class defines `choose`, let callers leave out its `rng`."""
        super().__init_subclass__(**options)
        decides = next(base for base in cls.__mro__ if "needs" in vars(base) or DECIDE & vars(base).keys())
        own_needs = "needs" in vars(decides)
        cls.needs = checked_needs(cls) if own_needs else cls.needs - {"whole_numbers"} | {"observations"}
        own = vars(cls).get("choose")
        if not inspect.isfunction(own):
            return

        @wraps(own)
        def choose(
            self: Agent, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator | None = None
        ) -> int:
            given: int = own(self, observation, mask, _generator(rng, agent_name(self)))
            return given

        setattr(cls, "choose", choose)  # noqa: B010 (mypy refuses an assignment to a method)

    def __init__(self, parameter: str | None = None) -> None:
        """Raise AgentError for a parameter; agents with a parameter override this."""
        if parameter is not None:
            raise AgentError(f"agent {type(self).__name__}: takes no parameter, got {parameter!r}")

    def prepare(self, info: GameInfo) -> None:
        """Prepare for a game; AgentError if the agent cannot play it. It may be called more than once.

        Override it for slow work that depends on the components or options. An agent that reads these from
        `Decisions.parameters` instead can change between games without `prepare`.
        """

    def act(self, decisions: Decisions) -> np.ndarray:
        """Choose a legal action for each row: integers (n,). By default, call `choose` for each row."""
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

    def choose(
        self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator | None = None
    ) -> int:
        """Choose a legal action for one decision; an override must draw all its random numbers from `rng`.

        Args:
            observation: float32 (observation_size,), from the acting seat.
            mask: int8 (actions,), 1 for a legal action.
            rng: the generator; None: a new one, so that the choice is not repeatable.

        Raises:
            AgentError: the agent needs a sampled world (use `play`), it fails, or the arrays do not fit its
                game.
        """
        who = agent_name(self)
        if type(self).act is Agent.act and "worlds" not in self.needs:
            raise NotImplementedError("write choose(observation, mask, rng)")
        if "worlds" in self.needs:
            raise AgentError(
                f"agent {who!r}: choose: it looks at the positions after its moves, which no observation "
                "holds; use agent.play(game), for example with env.unwrapped.game"
            )
        if isinstance(observation, dict):
            raise AgentError(f"agent {who!r}: choose: expected observation['observation'], not the dict")
        info = None if self._worlds is None else self._worlds.info
        key = _generator(rng, who).integers(2**63 - 1, size=1)
        decisions = Decisions(
            np.asarray(observation)[None],
            np.asarray(mask)[None],
            key,
            parameters=None if info is None else info.parameters,
            game=self._game if info is None else info.game,
        )
        return int(answered(self, check_decisions(decisions, who))[0])

    def choose_with_world(
        self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator, world: Game
    ) -> int:
        """Choose as in `choose`, with a world to search; for agents with `needs = {"worlds", …}`.

        `world` is a game that the acting seat, `world.player`, cannot tell from the true one. The agent may
        change it, or play in its `clone()`; `world.determinize(seat, seed)` samples another world.
        """
        raise NotImplementedError("write choose_with_world(observation, mask, rng, world)")

    def probabilities(self, decisions: Decisions) -> np.ndarray | None:
        """The agent's opinion of each move, shown to people who review a game: float64 (n, actions), where
        each row sums to 1; None if the agent has no opinion.
        """
        return None

    def action_probabilities(self, decisions: Decisions) -> np.ndarray | None:
        """The probability with which the agent plays each move, float64 (n, actions), or None if unknown."""
        return None

    def play(self, game: Game) -> int:
        """The action that this agent plays in `game`, such as `env.unwrapped.game`; the game does not change.

        Raises:
            AgentError: the agent fails.
            SetupError: no player is to act.
        """
        if not isinstance(game, Game):
            raise SetupError(f"play: expected a Game, such as env.unwrapped.game, not {shown(game)}")
        if game.player is None:
            raise SetupError(f"play: the game is {'over' if game.over else 'not reset yet'}")
        if self._worlds is None or not self._worlds.are_of(game.info):
            prepare_agents([self], game.info)
        return int(act_alone(self, game.ask())[0])

    def _world(self, decisions: Decisions, i: int) -> Game:
        if decisions.worlds is None:
            raise AgentError(f"agent {agent_name(self)!r}: choose_with_world: expected 'worlds' in needs")
        if self._worlds is None:
            raise AgentError(
                f"agent {agent_name(self)!r}: has not been told the game; call prepare_agents, or agent.play"
            )
        return self._worlds.game(decisions.worlds[i])


class FunctionAgent(Agent):
    """Wraps a function with the arguments and result of `Agent.choose`."""

    def __init__(self, function: Callable[[np.ndarray, np.ndarray, np.random.Generator], int]) -> None:
        super().__init__()
        if not callable(function):
            raise AgentError(f"agent: expected a function, not {shown(function)}")
        self.function = function
        self.__name__ = agent_name(function)

    def choose(
        self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator | None = None
    ) -> int:
        return self.function(observation, mask, _generator(rng, agent_name(self)))


def _generator(rng: object, who: str) -> np.random.Generator:
    """Return `rng`, or a generator with the seed `rng`; None: a generator with a random seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is not None and not (is_whole(rng) and rng >= 0):
        raise AgentError(f"agent {who!r}: rng: expected a numpy Generator or a seed, not {shown(rng)}")
    return np.random.default_rng(rng)


def prepare_agents(agents: Iterable[Agent], info: GameInfo) -> None:
    """Call `prepare` once for each agent object.

    Raises:
        AgentError: an agent cannot play the game, or its `prepare` fails.
    """
    if not isinstance(agents, Iterable):
        raise AgentError(f"prepare_agents: expected Agent objects, not {shown(agents)}")
    for agent in {id(one): one for one in agents}.values():
        _check_agent(agent)
        agent._worlds = None  # if `prepare` fails, the agent is prepared for no game
        _run_theirs(partial(agent.prepare, info), f"agent {agent_name(agent)}: prepare: failed with ")
        agent._worlds = Worlds(info)


def checked_needs(cls: type[Agent]) -> frozenset[str]:
    """Return the `needs` of an agent's class; AgentError unless they are a set of words of `NEEDS`."""
    needs: object = cls.needs
    where = f"agent {cls.__name__}: needs:"
    if not isinstance(needs, Set):
        raise AgentError(f"{where} expected a set such as {{'worlds'}}, not {shown(needs)}")
    for word in sorted(needs - set(NEEDS), key=str):
        near = did_you_mean(str(word), NEEDS) or f"; known: {', '.join(NEEDS)}"
        raise AgentError(f"{where} unknown {shown(word)}{near}")
    if needs >= {"observations", "whole_numbers"}:
        raise AgentError(f"{where} expected observations or whole_numbers, not both")
    return frozenset(needs)


def acts_in_parts(agent: Agent) -> bool:
    """Whether several threads may call an agent at once."""
    return bool(vars(type(agent)).get("in_parts", False)) and "worlds" not in agent.needs


def act_alone(agent: Agent, decisions: Decisions) -> np.ndarray:
    """The actions of one agent in all these decisions: int64 (n,).

    Raises:
        AgentError: the agent fails, or does not return integers.
    """
    _check_agent(agent)
    if not isinstance(decisions, Decisions):
        raise AgentError(f"act_alone: expected Decisions, such as game.ask(), not {shown(decisions)}")
    return answered(agent, decisions.part(agent, np.arange(len(decisions))))


def _check_agent(agent: object) -> None:
    if not isinstance(agent, Agent):
        raise AgentError(f"expected an Agent, as make_agent gives it, not {shown(agent)}")


def agent_entries(game: str | GameSpec = DEFAULT_GAME) -> dict[str, EntryPoint]:
    """Entry points of the agents of a game by name: the general ones and the game's own."""
    return entries_of(AGENTS, f"{AGENTS}.{find_game(game).name}")


def agent_names(game: str | GameSpec = DEFAULT_GAME) -> list[str]:
    """Names that `make_agent` accepts for a game, besides `module:Class`."""
    return sorted(agent_entries(game))


def make_agent(agent: object, game: str | GameSpec = DEFAULT_GAME) -> Agent:
    """Make an agent from its name: `random`, `greedy`, `policy:PATH`, `module:Class`, an Agent, or a function
    `(observation, mask, rng) -> int`.

    The same name can mean different agents in different games: `greedy` exists for several.

    Raises:
        AgentError: the name is unknown, or the agent cannot be made.
    """
    if isinstance(agent, Agent):
        return agent
    if callable(agent) and not inspect.isclass(agent):
        return FunctionAgent(agent)
    if not isinstance(agent, str) or not agent.strip():
        expected = "a name such as 'random' or 'policy:PATH', an Agent object, or a function"
        raise AgentError(f"agent {shown(agent)}: expected {expected}")
    name, colon, rest = agent.strip().partition(":")
    entry = agent_entries(game).get(name)
    if entry is not None:
        return _made(agent, game, partial(_load_and_make, entry, rest if colon else None, game))
    if not colon:
        known = agent_names(game)
        near = did_you_mean(name, known) or f"; known: {', '.join(known)}, or module:Class"
        raise AgentError(f"agent {agent!r}: unknown{near}")
    return _from_module(agent, game, name, rest)


def _from_module(agent: str, game: str | GameSpec, module_name: str, rest: str) -> Agent:
    class_name, colon, parameter = rest.partition(":")
    if "" not in sys.path:  # find modules in the working folder, as `python -m` does
        sys.path.insert(0, "")
    what = f"agent {agent!r}: cannot import module {module_name!r}: "
    module = _run_theirs(partial(importlib.import_module, module_name), what)
    cls = _run_theirs(partial(getattr, module, class_name, None), what)
    if not inspect.isclass(cls) or not issubclass(cls, Agent):
        raise AgentError(f"agent {agent!r}: {module_name!r} has no Agent class {class_name!r}")
    return _made(agent, game, partial(_construct, cls, game, *[parameter] * bool(colon)))


def _load_and_make(entry: EntryPoint, parameter: str | None, game: str | GameSpec) -> object:
    return _construct(entry.load(), game, parameter)


def _construct(cls: Callable[..., object], game: str | GameSpec, *parameter: str | None) -> object:
    of_several = "game" in inspect.signature(cls).parameters
    return cls(*parameter, game=game) if of_several else cls(*parameter)


def _made(agent: str, game: str | GameSpec, make: Callable[[], object]) -> Agent:
    made = _run_theirs(make, f"agent {agent!r}: cannot be made: ")
    if not isinstance(made, Agent):
        raise AgentError(f"agent {agent!r}: cannot be made: it is no Agent")
    vars(made).setdefault("_game", find_game(game).name)
    return made


def _run_theirs(call: Callable[[], T], what: str) -> T:
    """Run an agent's code and turn any exception except Ctrl-C into AgentError, even SystemExit, which would
    end the command with status 0.
    """
    try:
        return call()
    except (AgentError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise AgentError(f"{what}{failure(error)}") from error


# ---------------------------------------------------------------- names, mixtures and actions


def label_and_spec(text: str) -> tuple[str | None, str]:
    """Split `label=name`; the label is None if there is none.

    `policy:runs/lr=0.1/model` has no label: a label comes before the first colon.
    """
    label, equals, name = text.partition("=")
    return (label.strip(), name.strip()) if equals and ":" not in label else (None, text)


def agent_name(agent: object) -> str:
    """The name of an agent or function in messages and records; a label takes precedence."""
    if isinstance(agent, str):
        label, named = label_and_spec(agent)
        return named if label is None else label
    if isinstance(agent, partial):
        agent = agent.func
    name = getattr(agent, "__name__", None)  # functions, and agents that wrap one
    return name if isinstance(name, str) and name.isprintable() else type(agent).__name__


def answered(agent: Agent, decisions: Decisions, name: str | None = None) -> np.ndarray:
    """The actions of an agent, int64 (n,); the game checks whether they are legal.

    Args:
        agent: who decides.
        decisions: what it may see (`Decisions.part`).
        name: the agent's name in messages; None: `agent_name(agent)`.

    Raises:
        AgentError: the agent fails, or does not return integers.
    """
    try:
        given = agent.act(decisions)
    except AgentError:
        raise
    except (Exception, SystemExit) as error:  # lets the arena's time limit and Ctrl-C pass
        raise AgentError(f"agent {name or agent_name(agent)!r}: failed with {failure(error)}") from error
    try:
        return integers(given, len(decisions))
    except AgentError as error:
        raise AgentError(f"agent {name or agent_name(agent)!r}: {error}") from None


def integers(given: object, count: int) -> np.ndarray:
    """Convert the result of `act` to int64 (count,); raise AgentError if it is not integers."""
    if type(given) is np.ndarray and given.dtype is INT64 and given.shape == (count,):
        return given
    try:
        array = np.asarray(given)
    except Exception as error:
        raise AgentError(f"act: the result cannot become an array: {failure(error)}") from None
    if array.shape == (count,) and (array.dtype.kind in "iu" or count == 0):
        return array.astype(np.int64)
    got = shown(given) if array.ndim <= 1 and array.size <= 1 else f"{array.dtype} of shape {array.shape}"
    expected = f"{count} integer{'s' * (count != 1)}"
    raise AgentError(f"act: expected {expected}, got {got} ({type(given).__name__})")


def one_integer(given: object, who: str) -> int:
    """Convert the result of `choose` to int; raise AgentError if it is not an integer."""
    number = given.item() if isinstance(given, np.ndarray) and given.shape == () else given
    if is_whole(number):
        return int(number)
    got = f"{shown(given)} ({type(given).__name__})"
    raise AgentError(f"agent {who!r}: choose: expected an integer, got {got}")


def parse_mixture(text: str) -> dict[str, float]:
    """Shares by name from ``"random=0.2,greedy=0.3,latest=0.5"``, scaled to sum to 1.

    A name is an agent's name (`random`, `greedy`, `policy:PATH`, …), or `latest` in a training run. The share
    follows the last "=" of an entry.

    Raises:
        AgentError: an entry is wrong.
    """
    if not isinstance(text, str):
        raise AgentError(f"opponents: expected text such as random=0.5,greedy=0.5, not {shown(text)}")
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
