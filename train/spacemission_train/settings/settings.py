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

LATEST = "latest"  # as an opponent: the learner as it was at the end of the last update
PAST = "past"  # one of its snapshots (`self_play.league.Pool`)
ACTIVATION = "relu"

MAY_BE_NONE = ("steps", "minutes", "threads")
MAX_HIDDEN = 4096
MOST_ROLLOUT = 1 << 22  # steps between updates, of all games; they are kept in memory
PPO, TD = "ppo", "td"
MOST_COUNTS = 100  # numbers of players of a run, repeated ones counted
EXPLOIT = "exploit"  # the preset of exploiters
EXPLOIT_GAMES = 4000  # final games of an exploiter, unless asked for otherwise
SAME = "same"  # as `start`: the target's own weights


class SettingsError(SpaceMissionError):
    """A training setting that does not exist or is out of range."""


@dataclass(frozen=True)
class Form:
    """The widths and inputs of a run's networks; what a model's card says of them.

    Attributes:
        hidden: widths of the hidden layers, of policy and critic alike.
        input: what they read, one of the game's inputs (models/network_input.py).
        planets: width of the layer that reads each planet with the same weights; 0: none.
        full_critic: the critic also reads what the seat cannot see.
        game: name of the game.
        cards: width of layers that read cards and pairs of card and planet with the same weights; 0: none.
    """

    hidden: tuple[int, ...] = (256, 256)
    input: str = PLAIN_INPUT
    planets: int = 0
    full_critic: bool = False
    game: str = DEFAULT_GAME
    cards: int = 0

    def card(self) -> dict[str, Any]:
        """`network` of a model card, without `value`."""
        cards = {"cards": self.cards} if self.cards else {}
        common = {"hidden": list(self.hidden), "activation": ACTIVATION, "input": self.input}
        return {**common, "planets": self.planets, **cards}


def between(default: Any, low: float, high: float) -> Any:
    """A setting from `low` to `high`; a whole number where both are. Some may be None."""
    return field(default=default, metadata={"range": (low, high)})


def one_of(*choices: Any) -> Any:
    """A setting with these values; the first is the default."""
    return field(default=choices[0], metadata={"choices": choices})


def _check_number(name: str, value: Any, low: float, high: float) -> None:
    whole = isinstance(low, int) and isinstance(high, int)
    fits = type(value) is int or (not whole and type(value) is float)
    if not fits or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise SettingsError(f"settings: {name}: expected {kind} from {low} to {high}, not {value!r}")


def _check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if value not in choices:
        known = ", ".join(map(repr, choices))
        raise SettingsError(f"settings: {name}: expected one of {known}, not {value!r}")


@dataclass(frozen=True)
class Settings:
    """Settings of a training run. Values are checked when made.

    Attributes:
        preset: name of the preset that it started from; for people.
        game: which game, by name.
        method: ppo, or td: learn by temporal differences what the positions behind moves are worth, and play
            the move behind which the own is worth most (td/learner.py). Some settings mean to td what is
            like it: `n_steps` are decisions of a game between updates, `epochs` how often a position is
            learnt from, `gae_lambda` the lambda of the targets, `hidden` the two layers behind the planets.
            It has no use for those that are about a policy, a critic or shaping.
        players: number of players; several: one policy for all; each count in the list is equally likely:
            with 2, 2, 3 two of three games have two players.
        rules, components, reward: as for the game's environment.
        seed: the same seed, settings and number of threads give the same run, unless `minutes` ends it.
        steps: learner steps to train for, None: no limit; rounded up to whole updates.
        minutes: minutes to train for, None: no limit. The limit that is reached first ends the run.
        envs: games side by side.
        n_steps: learner steps of each game between updates.
        batch_size, epochs, gamma, gae_lambda, clip_range: of PPO, as SB3 names them.
        learning_rate, last_learning_rate: falls in a straight line from the one to the other.
        entropy, last_entropy: weight of the entropy bonus, falls like the learning rate.
        shaping, final_lead: see `SelfPlayVecEnv` and docs/shaping.md.
        opponents: mixture of opponents (`core.agents.parse_mixture`).
        pfsp: how much past selves that the learner does not beat are preferred (`self_play.league.Pool`).
        hidden: widths of the hidden layers, of the policy and of the value network.
        input: what the networks read, one of the game's inputs (models/network_input.py).
        planets: width of the layer that reads each planet with the same weights; only with inputs that go
            by planet.
        cards: width of layers that read cards, and pairs of card and planet, with the same weights and
            say the moves by them; only with `planets`. The critic then goes on from the policy's last layer.
            0: none.
        critic: "observation", or "full": in training it also reads what the seat cannot see.
        augment: show each game in one of its symmetric forms.
        kl: weight of KL to the policy as of the last checkpoint (ppo/ppo.py).
        average: 0: the run leaves the last weights; else their running mean over about that share of the
            updates so far, in model folders, evaluations and `past`; `latest` and the learner go on without.
        imitate: agent to be imitated before the first learner step (ppo/imitation.py), or None.
        imitate_decisions: how many of its decisions are learnt from.
        device: of torch: cpu, cuda, or auto: cuda where there is one.
        precision: of the products of matrices in training: float32, bfloat16 (float32 elsewhere), or auto:
            bfloat16 where the processor computes with it. Agents always play in float32.
        overlap_rollouts: play the next rollout while the networks learn from the last: faster where a second
            core is idle, the same run where none is.
        threads: of torch; None: 2 where two cores are idle, else 1. With td also of its games, and with
            `overlap_rollouts` of them alone.
        checkpoint_steps: steps between checkpoints; each is evaluated, and joins the opponents `past`.
        evaluation_games: games of an evaluation against each yardstick (random, greedy, heuristic).
        final_games: the same for the figures on the final model's card.
        exploit: spec of the one agent to train against (exploiter.py), in the place of `opponents`; or None.
        start: policy:PATH, whose weights the run starts from; preset:NAME: what that preset comes to, which
            is trained first (run/stages.py); "same": an exploiter's target's; or None. With td also
            policy:PATH,policy:PATH,… or preset:NAME*2, an ensemble of values as wide together as the run's.
        critic_warmup: with `start` or `imitate`, that many first updates train the value network alone.
        temperature: of td: in training a move is e times as probable for each such step of the logit of its
            share of the win.
        random_moves: of td: share of the decisions of training that are made at random.
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
    entropy: float = between(0.01, 0.0, 10.0)
    last_entropy: float = between(0.01, 0.0, 10.0)
    shaping: float = between(2.0, 0.0, 100.0)
    final_lead: bool = one_of(True, False)
    opponents: str = "random=0.15,greedy=0.35,latest=0.25,past=0.25"
    pfsp: float = between(0.0, 0.0, 100.0)
    hidden: tuple[int, ...] = (256, 256)
    input: str = "ring"
    planets: int = between(32, 0, 1024)
    cards: int = between(0, 0, 1024)
    critic: str = one_of("observation", "full")
    augment: bool = one_of(False, True)
    kl: float = between(0.0, 0.0, 100.0)
    average: float = between(0.0, 0.0, 1.0)
    imitate: str | None = None
    imitate_decisions: int = between(1_000_000, 1000, 10**9)
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
            raise SettingsError("settings: steps or minutes: one of the two has to limit the run")
        if self.envs * self.n_steps > MOST_ROLLOUT:
            raise SettingsError(
                f"settings: n_steps: {self.envs} envs of {self.n_steps} steps are more than the "
                f"{MOST_ROLLOUT} steps that an update may have"
            )
        if not 1 <= len(self.hidden) <= MAX_LAYERS:
            layers = f"1 to {MAX_LAYERS} layers"
            raise SettingsError(f"settings: hidden: expected {layers}, not {len(self.hidden)}")
        for width in self.hidden:
            _check_number("hidden", width, 1, MAX_HIDDEN)
        network_input = find_network_input(spec)
        _check_choice("input", self.input, network_input.inputs)
        if self.planets and self.input not in network_input.with_planets:
            known = " or ".join(map(repr, network_input.with_planets)) or "that no network of this game has"
            raise SettingsError(f"settings: planets: only with input {known}, not {self.input!r}")
        if self.cards and (not self.planets or self.input == "rated"):
            raise SettingsError("settings: cards: only with planets, and without ratings as input")
        if self.critic == "full" and not network_input.may_see_all:
            raise SettingsError(f"settings: critic: critics of {self.game} read what the seat sees, no more")
        for name in ("exploit", "start", "imitate"):
            value = getattr(self, name)
            if value is not None and (type(value) is not str or not value.strip()):
                raise SettingsError(f"settings: {name}: expected an agent such as policy:PATH, not {value!r}")
        if self.exploit in (LATEST, PAST):
            raise SettingsError(f"settings: exploit: {self.exploit!r}: expected a frozen agent")
        self._check_method(network_input)
        if self.start == SAME and self.exploit is None:
            raise SettingsError("settings: start: same is for an exploiter; name policy:PATH")
        if self.start is not None and self.imitate is not None:
            raise SettingsError("settings: imitate: not together with start")
        if self.exploit is not None and len(self.player_counts) > 1:
            raise SettingsError("settings: players: an exploiter is trained for one number of players")

    def _check_method(self, network_input: NetworkInput) -> None:
        judges = network_input.judges_moves(self.form.card())
        if self.method == PPO:
            if judges:
                raise SettingsError(f"settings: input: {self.input!r} is for method {TD!r}")
            return
        if not judges:
            raise SettingsError(
                f"settings: method: {TD!r} needs an input that judges moves, not {self.input!r}"
            )
        if self.imitate is not None:
            raise SettingsError(f"settings: imitate: not with method {TD!r}")
        if self.reward != "win":
            raise SettingsError(f"settings: reward: only 'win' with method {TD!r}")
        if PAST in self.mixture:
            raise SettingsError(f"settings: opponents: {PAST!r}: not with method {TD!r}")
        try:
            network_input.shapes(self.form.card())
        except SpaceMissionError as error:  # of widths that such a network does not have
            raise SettingsError(f"settings: {error}") from None

    @property
    def player_counts(self) -> tuple[int, ...]:
        """The numbers of players of the run, each once."""
        return tuple(dict.fromkeys(self.players))

    @property
    def spec(self) -> GameSpec:
        """The game."""
        return find_game(self.game)

    @property
    def info(self) -> GameInfo:
        """What the opponents are told before they play (`Agent.prepare`)."""
        spec = self.spec
        rules, components = spec.make_rules(self.rules), spec.load_components(self.components)
        return GameInfo.of(max(self.players), rules, components, spec)

    @property
    def form(self) -> Form:
        """The form of the networks."""
        return Form(self.hidden, self.input, self.planets, self.critic == "full", self.game, self.cards)

    @property
    def mixture(self) -> dict[str, float]:
        """Share of each opponent by name; an exploiter meets its target and nobody else."""
        return {self.exploit: 1.0} if self.exploit is not None else parse_mixture(self.opponents)

    def to_json(self) -> dict[str, Any]:
        """Every setting and its value, as JSON types."""
        return {**asdict(self), "hidden": list(self.hidden), "players": list(self.players)}
