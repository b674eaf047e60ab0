"""Presents one game, with learners and fixed opponents, as an RLlib multi-agent environment.

Only the seat to act gets an observation. Fixed opponents play inside the environment.
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
from spacemission_env.core.reading import Json
from spacemission_env.core.shaping import Shaping
from spacemission_train.self_play.league import LATEST, PAST, Pool
from spacemission_train.settings.settings import Form

OBSERVATIONS, MASK = "observations", "action_mask"
POOL = "pool"  # key of the opponents that the environments of an env runner share
Seats = dict[Any, Any]  # values by agent name, such as player_0


def seat_space(spec: GameSpec) -> spaces.Dict:
    """The space of a seat: observation float32 (size,) and action mask int8 (actions,)."""
    return spaces.Dict(
        {
            OBSERVATIONS: spaces.Box(0.0, 1.0, (spec.observation_size,), np.float32),
            MASK: spaces.Box(0, 1, (spec.action_count,), np.int8),
        }
    )


class SeatsEnv(MultiAgentEnv):
    """One game; its agents are the learning seats, `player_0` and so on.

    A learner gets its reward with its next observation or at the end of the game: `shaping` times the change
    of its score margin since its last observation (as in `SelfPlayVecEnv`), and at the end its final reward.
    At the end all learners get a last observation. A game that reached the round limit is "terminated", not
    "truncated", because its final reward is complete.

    Attributes:
        pool: the opponents; all environments of an env runner share it.
        learners: the learning seats of this game.
        game: the present game; there is one object for each number of players.
    """

    def __init__(self, config: Json) -> None:
        """Make the environment from its `env_config`.

        Args:
            config: `game`; `num_players` (default 2), a number or several, of which each game draws one;
                `rules`, `components`, `observation`, `reward` as for its environment; `shaping` (default 0),
                `final_lead` and `gamma` as for `SelfPlayVecEnv`; `mixture`: shares of the opponents by name
                (`parse_mixture`; default: all seats learn). A seat for `latest`, or for `past` while there
                are no snapshots, learns. `hidden`: widths of the snapshots' networks; `seed`.

        Raises:
            SpaceMissionError: one line naming the refused entry.
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
        # RLlib gives one config to all environments of an env runner, so they share the opponents in it.
        if POOL not in config:
            form = Form(tuple(config.get("hidden", Form().hidden)), game=spec.name)
            config[POOL] = Pool(config.get("mixture", {LATEST: 1.0}), form)
        self.pool: Pool = config[POOL]
        prepare_agents(self.pool.fixed, max(self._games, key=lambda game: game.num_players).info)
        self.learners: set[int] = set()
        self._opponents: dict[int, Agent] = {}
        # RLlib seeds environment i of env runner k with seed + k + i; adding k makes all games differ.
        self._streams = [config.get("seed", 0), getattr(config, "worker_index", 0) or 0]
        self._rng = np.random.default_rng(self._streams)
        self._dealt = 0
        self._margins: dict[int, np.float32] = {}  # each learner's margin at its last observation

    def reset(self, *, seed: int | None = None, options: Json | None = None) -> tuple[Seats, Seats]:
        """Deal a game and play to the first learner's turn; return that learner's observation and info.

        A seed restarts the random numbers, together with `seed` and `worker_index` of the config.
        `options={"setup": {…}}` sets up that table.
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
            if not self.game.over:  # a game that ends before any learner's turn is dealt anew
                seat = int(self.game.states[0].player)
                self._gain(seat)
                return {self.possible_agents[seat]: self._view(seat)}, {}

    def step(  # type: ignore[override]  # MultiAgentEnv differs from gymnasium.Env here
        self, action_dict: Seats
    ) -> tuple[Seats, Seats, Seats, Seats, Seats]:
        """Make the learner's move, then play opponents' moves up to a learner's turn or the end of the game.

        Raises:
            IllegalActionError: the move is illegal, or another seat is to act.
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
        # Only the agent that observes gets a reward here; other learners get theirs with their next
        # observation.
        return {agent: self._view(seat)}, {agent: self._gain(seat)}, running, running.copy(), {}

    def _end(self) -> tuple[Seats, Seats, Seats, Seats, Seats]:
        # RLlib pays a final reward only together with an observation, so all learners get one.
        finals = self.game.rewards(self.reward_mode)
        agents = {self.possible_agents[seat]: seat for seat in sorted(self.learners)}
        observations = {agent: self._view(seat) for agent, seat in agents.items()}
        rewards = {agent: self._gain(seat) + float(finals[seat]) for agent, seat in agents.items()}
        truncated = self.game.reason == "truncated"
        infos = {agent: {"final": float(finals[s]), "truncated": truncated} for agent, s in agents.items()}
        terminateds = {**dict.fromkeys(agents, True), "__all__": True}
        return observations, rewards, terminateds, dict.fromkeys(terminateds, False), infos

    def _seat_players(self) -> None:
        # At least one seat learns; the seats take turns at being this seat.
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
        # RLlib stores the arrays, so they must be new.
        observation = np.empty(self.game_spec.observation_size, np.float32)
        mask = np.empty(self.game_spec.action_count, np.int8)
        self.game.view(seat, observation, mask)
        return {OBSERVATIONS: observation, MASK: mask}

    def _gain(self, seat: int) -> float:
        # Changes of the margin before the seat's first move give no reward.
        if not self.shaping:
            return 0.0
        margin = self.game.margins()[seat]
        before, self._margins[seat] = self._margins.get(seat), margin
        return 0.0 if before is None else float(self.shaping.paid(before, margin, self.game.over))
