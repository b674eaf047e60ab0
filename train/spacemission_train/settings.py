"""Lists and checks the settings of a training run; reads and writes experiment files.

An experiment file (TOML) changes the settings of its `preset`. The text "none" stands for no value. The file
experiment.toml of a run holds all settings, so it reproduces the run.
"""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import tomli_w
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from spacemission_agents.afterstates.moves import find_afterstates
from spacemission_agents.afterstates.network import POLICY_INPUTS, WIN
from spacemission_agents.models.network_input import PLAIN_INPUT, find_network_input
from spacemission_env.core.agents import GameInfo, parse_mixture
from spacemission_env.core.arguments import check_seed
from spacemission_env.core.errors import SpaceMissionError, did_you_mean
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.reading import EXPERIMENT_BYTES, Json, parse_toml, read_toml
from spacemission_env.version import __version__

EXPERIMENT_FILE = "experiment.toml"
NONE = "none"
LIBRARIES = ("numpy", "torch", "numba")
LATEST = "latest"  # name of an opponent: the learner itself
MOST_ROLLOUT = 1 << 22  # maximum number of decisions in all games between updates, because of memory
UNBOUNDED = 1e6  # what `Limits.bounds` gives for a reward without declared bounds


class SettingsError(SpaceMissionError):
    """A training setting does not exist or is out of range."""


def _ends(value: object) -> object:
    # One number stands for a setting that does not change during the run.
    return (value, value) if type(value) in (int, float) else value


def _list(value: object) -> object:
    return (value,) if type(value) is int else tuple(value) if isinstance(value, list) else value


def _setting(default: Any, meaning: str, low: float | None = None, high: float | None = None) -> Any:
    return Field(default, description=meaning, ge=low, le=high)


Text = Annotated[str, Field(min_length=1)]
Whole = Annotated[tuple[int, ...], BeforeValidator(_list)]
Rate = Annotated[float, Field(ge=0, le=10)]
Share = Annotated[float, Field(ge=0, le=1)]
Ends = Annotated[tuple[Rate, Rate], BeforeValidator(_list), BeforeValidator(_ends)]
Shares = Annotated[tuple[Share, Share], BeforeValidator(_list), BeforeValidator(_ends)]


class Settings(BaseModel):
    """Settings of a training run; the constructor checks all values.

    Raises:
        SpaceMissionError: one line naming the setting.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    preset: str = _setting("demo", "name of the preset that gave the first values; only a note")
    game: str = _setting(DEFAULT_GAME, "name of the game")
    players: Whole = _setting(
        (2,), "number of players, or several, equally likely: with 2, 2, 3 two of three games have two"
    )
    rules: str = _setting("printed", "rules preset and options, as for the game's environment")
    components: Text | None = _setting(None, "components file; none: the one that ships")
    reward: str = _setting("win", "what the learner wants: one of the game's rewards")
    seed: int = _setting(0, "the same seed, settings and threads give the same run, unless `minutes` ends it")
    steps: int | None = _setting(None, "limit of the learner's decisions, rounded up to updates", 1, 10**12)
    minutes: float | None = _setting(
        10.0,
        "limit of minutes, after the first update, which may compile; the first limit ends the run",
        0.001,
        1e6,
    )
    envs: int = _setting(128, "games played at once", 1, 4096)
    n_steps: int = _setting(64, "decisions of the learner in each game between updates", 2, 65_536)
    batch_size: int = _setting(128, "positions, or a policy's decisions, in one step of Adam", 2, 1_000_000)
    epochs: int = _setting(1, "how often a position, or a policy's decision, is learnt from", 1, 100)
    learning_rate: Ends = _setting(
        (2e-3, 1e-4), "first and last learning rate of Adam; falls evenly; one number stays"
    )
    entropy: Ends = _setting(
        (0.0, 0.0),
        "first and last weight of the bonus for the policy's entropy in nats, where the reward's range is 1",
    )
    gamma: Shares = _setting(
        (1.0, 1.0),
        "first and last discount: each round moves a target by 1 - gamma to the potential that a game"
        " declares",
    )
    gae_lambda: float = _setting(0.9, "lambda of the TD(lambda) targets and of the advantages", 0.0, 1.0)
    temperature: float = _setting(
        0.01, "of the softmax over the value's logits that chooses moves; of a policy at first", 1e-6, 100.0
    )
    mixed: bool = _setting(
        False,
        "whether the policy is a mixed strategy: it learns from all decisions, its model draws its moves",
    )
    opponents: str = _setting(
        "latest=1", "shares of the agents in the other seats, as greedy=0.3,latest=0.7; latest: the learner"
    )
    hidden: Whole = _setting(
        (32, 64, 64),
        "widths of the hidden layers: of the rows, if the game has rows, of the rest, of both",
    )
    input: str = _setting(
        "afterstate_policy", "what the network reads, and whether it is a policy or a value"
    )
    average: float = _setting(
        0.0, "0, or the share of the updates over whose weights the saved model is the mean", 0.0, 1.0
    )
    threads: int | None = _setting(None, "threads; none: 2 if two cores are idle, else 1", 1, 1024)
    checkpoint_steps: int = _setting(240_000, "decisions between checkpoints", 1, 10**12)
    evaluation_games: int = _setting(
        400,
        "games against each yardstick at a checkpoint, fewer if they take over a tenth of `minutes`; the last"
        " evaluation has five times as many",
        1,
        10**6,
    )
    exploit: Text | None = _setting(None, "the agent to train against, in place of `opponents`")
    start: Text | None = _setting(
        None,
        "policy:PATH to start from its weights, several with commas from their mean; the network then has the"
        " sum of their widths",
    )

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            found = error.errors(include_url=False)[0]
            if isinstance(refused := found.get("ctx", {}).get("error"), SpaceMissionError):
                raise refused from None
            where, message = ".".join(map(str, found["loc"])), found["msg"].lower()
            raise SettingsError(f"settings: {where}: {message}, not {found['input']!r}") from None

    @model_validator(mode="after")
    def _check(self) -> Settings:
        spec = self.spec
        if not 1 <= len(self.players) <= 100:
            raise SettingsError(f"settings: players: expected 1 to 100 numbers, not {self.players!r}")
        for number in self.players:
            spec.check_num_players(number)
        spec.make_rules(self.rules)
        spec.reward_mode(self.reward)
        check_seed(self.seed)
        parse_mixture(self.opponents)
        if self.steps is None and self.minutes is None:
            raise SettingsError("settings: steps or minutes: set at least one as the limit of the run")
        if self.envs * self.n_steps > MOST_ROLLOUT:
            raise SettingsError(
                f"settings: n_steps: {self.envs} envs of {self.n_steps} steps exceed the limit of "
                f"{MOST_ROLLOUT} steps per update"
            )
        known = [name for name in find_network_input(spec).inputs if name != PLAIN_INPUT]
        if self.input not in known:
            names = ", ".join(map(repr, known))
            raise SettingsError(f"settings: input: expected one of {names}, not {self.input!r}")
        layers = 3 if find_afterstates(spec).features.rows else 2
        if len(self.hidden) != layers or not all(1 <= width <= 4096 for width in self.hidden):
            widths = f"expected {layers} widths from 1 to 4096"
            raise SettingsError(f"settings: hidden: {widths} for {self.game}, not {list(self.hidden)}")
        if self.mixed and not self.is_policy:
            raise SettingsError(f"settings: mixed: only a policy can be mixed, not input {self.input!r}")
        low, high = self.bounds
        if max(-low, high) >= UNBOUNDED or low >= high:
            raise SettingsError(
                f"settings: reward: {self.reward!r}: the limits of {self.game} do not give its bounds"
            )
        if self.exploit == LATEST:
            raise SettingsError(f"settings: exploit: {self.exploit!r}: expected a frozen agent")
        if self.exploit is not None and len(self.player_counts) > 1:
            raise SettingsError("settings: players: an exploiter trains for one number of players")
        return self

    @property
    def is_policy(self) -> bool:
        """Whether the network is a policy with a critic, not a value."""
        return self.input in POLICY_INPUTS

    @property
    def spec(self) -> GameSpec:
        """The game."""
        return find_game(self.game)

    @property
    def info(self) -> GameInfo:
        """Facts about the games, for `Agent.prepare` of the opponents."""
        spec = self.spec
        rules, components = spec.make_rules(self.rules), spec.load_components(self.components)
        return GameInfo.of(max(self.players), rules, components, spec)

    @property
    def player_counts(self) -> tuple[int, ...]:
        """The distinct numbers of players of the run."""
        return tuple(dict.fromkeys(self.players))

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest reward."""
        rules = self.spec.make_rules(self.rules)
        all_bounds = [self.spec.limits(rules, n).bounds(self.reward) for n in self.player_counts]
        return min(low for low, _ in all_bounds), max(high for _, high in all_bounds)

    @property
    def paid(self) -> tuple[float, float, float]:
        """The reward whose share the network estimates, as compiled code reads it (like `WIN`)."""
        return WIN if self.reward == "win" else (float(self.spec.reward_mode(self.reward)), *self.bounds)

    @property
    def network(self) -> Json:
        """The entry `network` of the model card."""
        card: Json = {"hidden": list(self.hidden[-2:]), "activation": "relu", "input": self.input}
        card["planets"] = self.hidden[0] if len(self.hidden) == 3 else 0
        if self.mixed:
            card["mixed"] = True
        if not self.is_policy and self.reward != "win":  # policies do not play by their critic's value
            card["reward"] = [self.reward, *self.bounds]
        return card

    @property
    def mixture(self) -> dict[str, float]:
        """Share of each opponent by name; an exploiter plays only its target."""
        return {self.exploit: 1.0} if self.exploit is not None else parse_mixture(self.opponents)

    def to_json(self) -> Json:
        """Each setting and its value, as JSON types."""
        return self.model_dump(mode="json")

    def changed(self, **changes: object) -> Settings:
        """A copy of these settings with some of them changed."""
        return Settings(**{**self.model_dump(), **changes})


NAMES = tuple(Settings.model_fields)


def check_known(name: str, where: str = "settings") -> None:
    """Raise SettingsError for an unknown setting; the message proposes the nearest name."""
    if name not in NAMES:
        near = did_you_mean(name, NAMES) or f"; known: {', '.join(NAMES)}"
        raise SettingsError(f"{where}: unknown setting {name!r}{near}")


# ------------------------------------------------------------ files


def read_experiment(path: str | Path) -> Json:
    """Read the settings in an experiment file; SettingsError names the file and the key."""
    table = read_toml(path, EXPERIMENT_BYTES, SettingsError, str(path))
    if not table:  # with an empty file the preset alone would train for hours
        raise SettingsError(f"{path}: the file has no settings")
    for name in table:
        check_known(name, str(path))
    return {name: _given(value) for name, value in table.items()}


def _given(value: object) -> object:
    return None if value == NONE else value


def parse_change(text: str) -> tuple[str, object]:
    """Parse `name=value`; the value is TOML, except that a text needs no quotation marks."""
    name, equals, right = (part.strip() for part in text.partition("="))
    if not equals:
        raise SettingsError(f"--set {text}: expected name=value, such as envs=64")
    check_known(name, "--set")
    try:
        table = parse_toml(f"value = {right}", SettingsError, name)
        return name, _given(table["value"] if len(table) == 1 else right)
    except SettingsError:
        return name, _given(right)


def to_toml(settings: Settings, command: str = "") -> str:
    """The text of an experiment file: comments with versions, machine and command, then all settings."""
    lines = [f"# {line}" for line in made_with(settings)]
    lines += ["# command: " + "".join(c if c.isprintable() else " " for c in command), "", ""]
    values = {name: NONE if value is None else value for name, value in settings.to_json().items()}
    if settings.exploit is not None:
        del values["opponents"]  # an exploiter plays only its target
    return "\n".join(lines) + tomli_w.dumps(values)


def made_with(settings: Settings) -> list[str]:
    """The versions and the machine that a run depends on, in lines."""
    return [
        f"spacemission-env {__version__}, Python {platform.python_version()}",
        ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {settings.threads} threads",
    ]
