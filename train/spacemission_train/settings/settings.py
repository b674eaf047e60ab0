"""Lists every setting of a training run and checks its value."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from spacemission_agents.models.card import MAX_LAYERS
from spacemission_agents.models.network_input import PLAIN_INPUT, NetworkInput, find_network_input
from spacemission_env.core.agents import GameInfo, parse_mixture
from spacemission_env.core.arguments import check_seed
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.reading import Json

LATEST = "latest"  # name of an opponent: the learner after the last update
PAST = "past"  # name of an opponent: a snapshot of the learner (`self_play.league.Pool`)
ACTIVATION = "relu"

MAY_BE_NONE = ("steps", "minutes", "threads")
MAX_HIDDEN = 4096
MOST_ROLLOUT = 1 << 22  # maximum number of steps of all games between updates, limited by memory
PPO, TD = "ppo", "td"
MOST_COUNTS = 100  # maximum number of entries of `players`
EXPLOIT = "exploit"  # the preset of exploiters
EXPLOIT_GAMES = 4000  # default of an exploiter's `final_games`
SAME = "same"  # a value of `start`: the weights of the exploiter's target


class SettingsError(SpaceMissionError):
    """A training setting that does not exist or is out of range."""


@dataclass(frozen=True)
class Form:
    """The widths and the input of a run's networks.

    Attributes:
        hidden: widths of the hidden layers of policy and critic.
        input: the network input, by name (models/network_input.py).
        planets: width of the layer shared by all rows of the layout; 0: none.
        game: name of the game.
    """

    hidden: tuple[int, ...] = (256, 256)
    input: str = PLAIN_INPUT
    planets: int = 0
    game: str = DEFAULT_GAME

    def card(self) -> Json:
        """The entry `network` of a model card, without `value`."""
        return {
            "hidden": list(self.hidden),
            "activation": ACTIVATION,
            "input": self.input,
            "planets": self.planets,
        }


def between(default: Any, low: float, high: float) -> Any:
    """A number from `low` to `high`, whole if both are."""
    return field(default=default, metadata={"range": (low, high)})


def one_of(*choices: Any) -> Any:
    """One of these values, by default the first."""
    return field(default=choices[0], metadata={"choices": choices})


def _check_number(name: str, value: object, low: float, high: float) -> None:
    whole = isinstance(low, int) and isinstance(high, int)
    if type(value) not in ((int,) if whole else (int, float)) or not low <= value <= high:  # type: ignore[operator]
        kind = "a whole number" if whole else "a number"
        raise SettingsError(f"settings: {name}: expected {kind} from {low} to {high}, not {value!r}")


def _check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    if value not in choices:
        known = ", ".join(map(repr, choices))
        raise SettingsError(f"settings: {name}: expected one of {known}, not {value!r}")


@dataclass(frozen=True)
class Settings:
    """Settings of a training run; the constructor checks all values.

    Attributes:
        preset: name of the preset that gave the first values. It is only kept as a note.
        game: name of the game.
        method: "ppo", or "td": learn the value of afterstates by TD(lambda) and play the move with the best
            afterstate (td/learner.py). For td, and for ppo with an input of afterstates
            (ppo/afterstates.py), `n_steps` counts the decisions of a game between updates, `epochs` counts
            the uses of each position, `gae_lambda` is the lambda of the targets, `gamma` discounts them
            with each round towards the potential that a game declares (default: the equal share), `hidden`
            holds the widths of two layers, and `shaping` is ignored.
        players: number of players, or several; each count in the list is equally likely:
            with 2, 2, 3 two of three games have two players. One policy plays all of them.
        rules, components, reward: as for the game's environment.
        seed: the same seed, settings and number of threads give the same run, unless `minutes` ends it.
        steps: limit of learner steps, rounded up to whole updates; None: no limit.
        minutes: limit of minutes; None: no limit. The first limit reached ends the run.
        envs: number of parallel games.
        n_steps: learner steps of each game between updates.
        batch_size, epochs, gamma, gae_lambda, clip_range: parameters of PPO, named as in SB3.
        learning_rate, last_learning_rate: first and last learning rate; it falls linearly.
        entropy, last_entropy: first and last weight of the entropy bonus; it falls linearly.
        top_advantages: for ppo with afterstates: the share of the decisions, those with the largest
            advantages, that the policy learns from.
        shaping, final_lead: see `SelfPlayVecEnv` and docs/shaping.md.
        opponents: mixture of opponents (`core.agents.parse_mixture`).
        hidden: widths of the hidden layers, for the policy and for the value network.
        input: the network input, by name (models/network_input.py).
        planets: width of the layer shared by all rows of the layout, for inputs of afterstates; 0: none.
        average: 0: save the last weights. Else save the running mean of the weights over about this share of
            the updates so far; evaluations and `past` also use the mean. `latest` and the learner use it only
            with td.
        device: torch's device: "cpu", "cuda", or "auto": cuda if there is one.
        precision: precision of matrix products in training: "float32", "bfloat16", or "auto": bfloat16 if the
            processor supports it. Agents always play in float32.
        overlap_rollouts: play the next rollout while the networks learn from the last one; faster if a second
            core is idle.
        threads: threads of torch; None: 2 if two cores are idle, else 1. With td the games use them too, and
            with `overlap_rollouts` only the games.
        checkpoint_steps: steps between checkpoints; each is evaluated and joins the opponents `past`.
        evaluation_games: games of an evaluation against each yardstick (random, greedy, heuristic).
        final_games: games of the last evaluation against each yardstick.
        exploit: the one agent to train against, in place of `opponents` (exploiter.py); or None.
        start: policy:PATH to start from its weights; preset:NAME to train that preset first (run/stages.py);
            "same" for the weights of an exploiter's target; or None. With afterstates also
            policy:PATH,policy:PATH,… or preset:NAME*2: an ensemble whose widths sum to the run's.
        critic_warmup: with `start`: number of first updates that train only the value network.
        temperature: temperature of the softmax over the logits of the win share: for td in training, for ppo
            with afterstates at the start.
        random_moves: for td: share of random decisions in training.
    """

    preset: str = "quick"
    game: str = DEFAULT_GAME
    method: str = one_of(PPO, TD)
    players: tuple[int, ...] = (2,)
    rules: str = "printed"
    components: str | None = None
    reward: str = "score_margin"
    seed: int = 0
    steps: int | None = between(400_000, 1, 10**12)
    minutes: float | None = between(None, 0.001, 1e6)
    envs: int = between(64, 1, 4096)
    n_steps: int = between(32, 2, 65_536)
    batch_size: int = between(512, 2, 1_000_000)
    epochs: int = between(4, 1, 100)
    learning_rate: float = between(1e-3, 0.0, 1.0)
    last_learning_rate: float = between(5e-5, 0.0, 1.0)
    gamma: float = between(0.995, 0.0, 1.0)
    gae_lambda: float = between(0.95, 0.0, 1.0)
    clip_range: float = between(0.2, 0.0, 10.0)
    top_advantages: float = between(0.25, 0.01, 1.0)
    entropy: float = between(0.01, 0.0, 10.0)
    last_entropy: float = between(0.01, 0.0, 10.0)
    shaping: float = between(2.0, 0.0, 100.0)
    final_lead: bool = one_of(True, False)
    opponents: str = "random=0.15,greedy=0.35,latest=0.25,past=0.25"
    hidden: tuple[int, ...] = (256, 256)
    input: str = PLAIN_INPUT
    planets: int = between(0, 0, 1024)
    average: float = between(0.0, 0.0, 1.0)
    device: str = one_of("cpu", "cuda", "auto")
    precision: str = one_of("auto", "float32", "bfloat16")
    overlap_rollouts: bool = one_of(False, True)
    threads: int | None = between(None, 1, 1024)
    checkpoint_steps: int = between(80_000, 1, 10**12)
    evaluation_games: int = between(400, 1, 1_000_000)
    final_games: int = between(2000, 1, 1_000_000)
    exploit: str | None = None
    start: str | None = None
    critic_warmup: int = between(0, 0, 1_000_000)
    temperature: float = between(0.01, 1e-6, 100.0)
    random_moves: float = between(0.01, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Check every value; the error names the setting and its range."""
        if not 1 <= len(self.players) <= MOST_COUNTS:
            how_many = f"1 to {MOST_COUNTS} numbers"
            raise SettingsError(f"settings: players: expected {how_many}, not {self.players!r}")
        spec = self.spec
        for number in self.players:
            spec.check_num_players(number)
        spec.make_rules(self.rules)
        spec.reward_mode(self.reward)
        check_seed(self.seed)
        parse_mixture(self.opponents)
        for setting in fields(self):
            value, meta = getattr(self, setting.name), setting.metadata
            if "range" in meta and not (value is None and setting.name in MAY_BE_NONE):
                _check_number(setting.name, value, *meta["range"])
            if "choices" in meta:
                _check_choice(setting.name, value, meta["choices"])
        if self.steps is None and self.minutes is None:
            raise SettingsError("settings: steps or minutes: set at least one as the limit of the run")
        if self.envs * self.n_steps > MOST_ROLLOUT:
            raise SettingsError(
                f"settings: n_steps: {self.envs} envs of {self.n_steps} steps exceed the limit of "
                f"{MOST_ROLLOUT} steps per update"
            )
        if not 1 <= len(self.hidden) <= MAX_LAYERS:
            layers = f"1 to {MAX_LAYERS} layers"
            raise SettingsError(f"settings: hidden: expected {layers}, not {len(self.hidden)}")
        for width in self.hidden:
            _check_number("hidden", width, 1, MAX_HIDDEN)
        network_input = find_network_input(spec)
        _check_choice("input", self.input, network_input.inputs)
        if self.planets and self.input not in network_input.with_planets:
            known = " or ".join(map(repr, network_input.with_planets))
            raise SettingsError(
                f"settings: planets: only with input {known}, not {self.input!r}"
                if known
                else f"settings: planets: expected 0 for the game {self.game}"
            )
        for name in ("exploit", "start"):
            value = getattr(self, name)
            if value is not None and (type(value) is not str or not value.strip()):
                raise SettingsError(f"settings: {name}: expected an agent such as policy:PATH, not {value!r}")
        if self.exploit in (LATEST, PAST):
            raise SettingsError(f"settings: exploit: {self.exploit!r}: expected a frozen agent")
        self._check_method(network_input)
        if self.start == SAME and self.exploit is None:
            raise SettingsError("settings: start: 'same' is only for an exploiter; name policy:PATH")
        if self.exploit is not None and len(self.player_counts) > 1:
            raise SettingsError("settings: players: an exploiter trains for one number of players")

    def _check_method(self, network_input: NetworkInput) -> None:
        judges, what = network_input.judges_moves(self.form.card()), f"input {self.input!r}"
        if self.method == PPO and judges:
            raise SettingsError(f"settings: input: {self.input!r} is for method {TD!r}")
        if self.method == TD and not judges:
            raise SettingsError(
                f"settings: method: {TD!r} needs an input that judges moves, not {self.input!r}"
            )
        if not self.of_afterstates:
            return
        if self.reward != "win":
            raise SettingsError(f"settings: reward: only 'win' with {what}; preset 'quick' takes others")
        if PAST in self.mixture:
            raise SettingsError(f"settings: opponents: {PAST!r}: not with {what}, but with preset 'quick'")
        try:
            network_input.shapes(self.form.card())
        except SpaceMissionError as error:  # such a network cannot have these widths
            raise SettingsError(f"settings: {error}") from None

    def falling(self, name: str, fraction: float) -> float:
        """The learning rate or the weight of the entropy bonus, after this fraction of the run."""
        first, last = getattr(self, name), getattr(self, f"last_{name}")
        return float(first + (last - first) * fraction)

    @property
    def of_afterstates(self) -> bool:
        """Whether the networks read afterstates (td/run.py)."""
        return find_network_input(self.spec).reads_afterstates(self.form.card())

    @property
    def player_counts(self) -> tuple[int, ...]:
        """The distinct numbers of players of the run."""
        return tuple(dict.fromkeys(self.players))

    @property
    def spec(self) -> GameSpec:
        """The game."""
        return find_game(self.game)

    @property
    def info(self) -> GameInfo:
        """The game's setting, for `Agent.prepare` of the opponents."""
        spec = self.spec
        rules, components = spec.make_rules(self.rules), spec.load_components(self.components)
        return GameInfo.of(max(self.players), rules, components, spec)

    @property
    def form(self) -> Form:
        """The form of the networks."""
        return Form(self.hidden, self.input, self.planets, self.game)

    @property
    def mixture(self) -> dict[str, float]:
        """Share of each opponent by name; an exploiter plays only its target."""
        return {self.exploit: 1.0} if self.exploit is not None else parse_mixture(self.opponents)

    def to_json(self) -> Json:
        """Each setting and its value, as JSON types."""
        return {**asdict(self), "hidden": list(self.hidden), "players": list(self.players)}
