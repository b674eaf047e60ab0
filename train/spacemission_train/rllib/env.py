"""Presents one game as an RLlib multi-agent environment, learners and fixed opponents at one table.

Only the seat that is to act observes. Fixed opponents play inside the environment, in its process.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from spacemission_env.core.agents import Agent, act_alone, prepare_agents
from spacemission_env.core.arguments import MAX_SEED
from spacemission_env.core.errors import IllegalActionError
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.shaping import Shaping
from spacemission_train.self_play.league import LATEST, PAST, Pool
from spacemission_train.settings.settings import Form

OBSERVATIONS, MASK = "observations", "action_mask"
POOL = "pool"  # where an env runner's environments find the opponents that they share
Seats = dict[Any, Any]  # by agent, such as player_0


def seat_space(spec: GameSpec) -> spaces.Dict:
    """Observation float32 (size,) and action mask int8 (actions,) of a seat, under RLlib's names."""
    return spaces.Dict(
        {
            OBSERVATIONS: spaces.Box(0.0, 1.0, (spec.observation_size,), np.float32),
            MASK: spaces.Box(0, 1, (spec.action_count,), np.int8),
        }
    )


class SeatsEnv(MultiAgentEnv):
    """One game; agents `player_0` … in seat order, those of them that learn.

    A learner's reward is paid with its next observation or at the end of the game: `shaping` times the
    change of its score margin since its last observation (as in `SelfPlayVecEnv`), plus its own final reward
    at the end, whoever ended the game. All learners get a last observation then. A game that ended by the
    round limit is "terminated" as well: it is scored as it stands, so no value may be added to its reward.

    Attributes:
        pool: who may sit at the other seats; all environments of an env runner share it.
        learners: seats of this game that learn.
        game: the game itself; another object where the number of players changes.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        """Make the environment from its `env_config`.

        Args:
            config: `game`; `num_players` (default 2; or several numbers, one of them drawn for each game),
                `rules`, `components`, `observation`, `reward` as for its environment; `shaping` (default 0),
                `final_lead` and `gamma` as for `SelfPlayVecEnv`; `mixture`: shares by name
                (`parse_mixture`), by which each seat is given away, `latest` and a `past` without
                snapshots being learners, default: all seats learn; `hidden`: widths of the snapshots'
                networks; `seed` of all that is random.

        Raises:
            SpaceMissionError: one line naming what was refused.
        """
        super().__init__()
        self.game_spec = find_game(config.get("game", DEFAULT_GAME))
        spec = self.game_spec
        numbers = config.get("num_players", 2)
        rules, components = config.get("rules"), config.get("components")
        observation = config.get("observation", "perfect_recall")
        self._games: list[Game] = [
            make_game(spec, number, rules, components, observation)
            for number in ((numbers,) if isinstance(numbers, int) else numbers)
        ]
        self.game = self._games[0]
        self.reward_mode = spec.reward_mode(config.get("reward", "win"))
        final = bool(config.get("final_lead", True))
        discount = 1.0 if final else float(config.get("gamma", 1.0))
        self.shaping = Shaping(config.get("shaping", 0.0), discount, final)
        most = max(game.num_players for game in self._games)
        self.possible_agents = [f"player_{seat}" for seat in range(most)]
        self.agents = self.possible_agents[:]
        self.observation_spaces = {agent: seat_space(spec) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(spec.action_count) for agent in self.possible_agents}
        # RLlib hands one config to all environments of an env runner: they share its opponents.
        if POOL not in config:
            form = Form(tuple(config.get("hidden", Form().hidden)), game=spec.name)
            config[POOL] = Pool(config.get("mixture", {LATEST: 1.0}), form)
        self.pool: Pool = config[POOL]
        prepare_agents(self.pool.fixed, max(self._games, key=lambda game: game.num_players).info)
        self.learners: set[int] = set()
        self._opponents: dict[int, Agent] = {}
        # RLlib seeds environment i of env runner k with seed + k + i: without k, runners would share games.
        self._streams = [config.get("seed", 0), getattr(config, "worker_index", 0) or 0]
        self._rng = np.random.default_rng(self._streams)
        self._dealt = 0
        self._margins: dict[int, np.float32] = {}  # of each learner, at its last observation

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seats, Seats]:
        """Deal a game and play on to the first learner's turn: its observation, and its info.

        A seed begins the environment's random numbers anew, together with the `seed` and the
        `worker_index` of its config. `options={"setup": {…}}` lays a table instead of a dealt one.
        """
        if seed is not None:
            self._rng = np.random.default_rng([*self._streams, seed])
        while True:
            self.game = self._games[int(self._rng.integers(len(self._games)))]
            self._seat_players()
            self.game.reset(int(self._rng.integers(MAX_SEED)), (options or {}).get("setup"))
            self._dealt += 1
            self._margins.clear()
            self._opponents_play()
            if not self.game.over:  # else it ended before any learner's turn, with nothing to learn from
                seat = int(self.game.states[0].player)
                self._gain(seat)
                return {self.possible_agents[seat]: self._view(seat)}, {}

    def step(  # type: ignore[override]  # a MultiAgentEnv is no gymnasium.Env in that
        self, action_dict: Seats
    ) -> tuple[Seats, Seats, Seats, Seats, Seats]:
        """Make the acting learner's move, then the opponents' up to a learner's turn or the end.

        Raises:
            IllegalActionError: naming the move, or saying that another seat is to act.
        """
        player = self.game.player
        if player is None or list(action_dict) != [self.possible_agents[player]]:
            whose = "the game is over" if player is None else f"{self.possible_agents[player]} is to act"
            raise IllegalActionError(f"actions of {', '.join(action_dict) or 'nobody'}: {whose}")
        self.game.step(int(action_dict[self.possible_agents[player]]))
        self._opponents_play()
        if self.game.over:
            return self._end()
        seat = int(self.game.states[0].player)
        agent = self.possible_agents[seat]
        running = {"__all__": False}
        # RLlib wants a reward of whoever acted and observes; one who only acted gets its own later.
        return {agent: self._view(seat)}, {agent: self._gain(seat)}, running, running.copy(), {}

    def _end(self) -> tuple[Seats, Seats, Seats, Seats, Seats]:
        # Every learner observes here: only so does RLlib pay those whose last action came earlier.
        finals = self.game.rewards(self.reward_mode)
        agents = {self.possible_agents[seat]: seat for seat in sorted(self.learners)}
        observations = {agent: self._view(seat) for agent, seat in agents.items()}
        rewards = {agent: self._gain(seat) + float(finals[seat]) for agent, seat in agents.items()}
        truncated = self.game.reason == "truncated"
        infos = {agent: {"final": float(finals[s]), "truncated": truncated} for agent, s in agents.items()}
        terminateds = {**dict.fromkeys(agents, True), "__all__": True}
        return observations, rewards, terminateds, dict.fromkeys(terminateds, False), infos

    def _seat_players(self) -> None:
        # One seat always learns; it moves on with each game, so that seats are evenly used.
        count = self.game.num_players
        kept = self._dealt % count
        self._opponents = {}
        for seat, number in enumerate(self.pool.draw(self._rng, count)):
            fixed = number >= len(self.pool.names) or self.pool.names[number] not in (LATEST, PAST)
            if fixed and seat != kept:
                self._opponents[seat] = self.pool.player(int(number))
        self.learners = set(range(count)) - set(self._opponents)

    def _opponents_play(self) -> None:
        game = self.game
        while not game.over and int(game.states[0].player) in self._opponents:
            agent = self._opponents[int(game.states[0].player)]
            game.step(int(act_alone(agent, game.ask())[0]))

    def _view(self, seat: int) -> dict[str, np.ndarray]:
        # New arrays: RLlib keeps them in its episodes.
        observation = np.empty(self.game_spec.observation_size, np.float32)
        mask = np.empty(self.game_spec.action_count, np.int8)
        self.game.view(seat, observation, mask)
        return {OBSERVATIONS: observation, MASK: mask}

    def _gain(self, seat: int) -> float:
        # What the margin changed before the seat's first move is nobody's merit, and is not paid.
        if not self.shaping:
            return 0.0
        margin = self.game.margins()[seat]
        before, self._margins[seat] = self._margins.get(seat), margin
        return 0.0 if before is None else float(self.shaping.paid(before, margin, self.game.over))
