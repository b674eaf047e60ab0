"""Space Mission as a PettingZoo AEC environment.

| | |
| --- | --- |
| agents | `player_0` … `player_4` (2 to 5, in seat order) |
| action space | `Discrete(101)`, see docs/actions.md |
| observation | dict: `observation` float32 (1554,) in [0, 1], `action_mask` int8 (101,) |
| rewards | 0 before the end; then by `reward`: "win", "rank" or "score_margin" |
| end | all agents terminate together; truncated after `max_rounds` rounds (SM-53) |

One step is one decision; a seat decides several times in a row (two actions a turn, and a tile pick
after scan, develop and discover). When the game is over, `agent_selection` goes through the agents in
seat order; each gets its own final reward from `last()` and is stepped with None.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from spacemission_env.core.arguments import check_options, is_whole
from spacemission_env.core.errors import IllegalActionError, NotResetError, SetupError, shown
from spacemission_env.frontends.seats import check_seat
from spacemission_env.frontends.spaces import ILLEGAL, AfterReset, check_render_mode, observation_space
from spacemission_env.games.space_mission.engine import batch
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, REWARD_NAMES
from spacemission_env.games.space_mission.engine.layout import OBSERVATION_SIZE
from spacemission_env.games.space_mission.game import Game, check_choice
from spacemission_env.records.recording import Recording
from spacemission_env.records.writer import check_names


def env(**options: Any) -> AECEnv:
    """The environment with PettingZoo's order-enforcing wrapper; options as for `raw_env`.

    Out-of-bounds and illegal actions are refused by the environment itself, with the reason.
    """
    return wrappers.OrderEnforcingWrapper(raw_env(**options))


class raw_env(AECEnv):  # noqa: N801 - the name that PettingZoo environments have
    """The AEC environment without wrappers.

    Args:
        num_players: 2 to 5.
        rules: a preset name ("printed", "yucata"), a `Rules` object, or a dict of options.
        components: None (the default table), or a path to a components file.
        observation: "perfect_recall", or "table": only what could be looked at on the table now.
        reward: "win" (+1 split among the winners, -1 among the others), "rank" or "score_margin".
        illegal: "raise" IllegalActionError (nothing changes), or "lose": the game ends, the player who
            made the move gets -1, the others share +1.
        render_mode: None or "ansi" (text).
        render_seat: whose view `render` shows; None: the seat to act.
        record: None, or a path (or text stream) to which every game played to its end is written.
        record_agents: names of the players in the record; default: the agents' names.
    """

    # What only a game has; `reset` lays the environment's own over these.
    agent_selection = rewards = terminations = truncations = infos = _cumulative_rewards = AfterReset()
    metadata = {"render_modes": ["ansi"], "name": "space_mission_v0", "is_parallelizable": False}

    def __init__(
        self,
        num_players: int = 3,
        rules: Any = "printed",
        components: Any = None,
        observation: str = "perfect_recall",
        reward: str = "win",
        illegal: str = "raise",
        render_mode: str | None = None,
        render_seat: int | None = None,
        record: Any = None,
        record_agents: list[str] | None = None,
    ) -> None:
        super().__init__()
        self.game = Game(num_players, rules, components, observation)
        self.reward_mode = check_choice("reward", reward, REWARD_NAMES)
        self.illegal = ILLEGAL[check_choice("illegal", illegal, ILLEGAL)]
        self.render_mode = check_render_mode(render_mode)
        self.render_seat = check_seat(render_seat, num_players)
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(ACTION_COUNT) for agent in self.possible_agents}
        self.record_agents = self.possible_agents if record_agents is None else record_agents
        check_names(self.record_agents, num_players)
        self._recording = Recording(record)

    def observation_space(self, agent: str) -> spaces.Space:
        """The space of the agent's observations (the same object at every call)."""
        return self.observation_spaces[self.possible_agents[self._seat_of(agent)]]

    def action_space(self, agent: str) -> spaces.Space:
        """The space of the agent's actions (the same object at every call)."""
        return self.action_spaces[self.possible_agents[self._seat_of(agent)]]

    def _seat_of(self, agent: Any) -> int:
        try:
            return self.seats[agent]
        except (KeyError, TypeError):
            expected = ", ".join(self.possible_agents)
            raise SetupError(f"agent: expected one of {expected}, not {shown(agent)}") from None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game from `seed`; `options={"setup": {…}}` lays a given table instead.

        Without a seed the game that follows on the last one is dealt (the first: a random one).
        """
        self.game.reset(seed, check_options(options))
        self._recording.start(self.game, self.record_agents)
        self._start()

    def _start(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[self.game.states[0].player]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Observation and action mask of an agent (new arrays); the mask is zero unless it is to move."""
        observation = np.empty(OBSERVATION_SIZE, np.float32)
        mask = np.empty(ACTION_COUNT, np.int8)
        game, seat = self.game, self._seat_of(agent)
        if not batch.view_one(game.states, 0, game.boxes, seat, game.recall, observation, mask):
            raise NotResetError("observe: the environment has not been reset")
        return {"observation": observation, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Make the move of `agent_selection`; None for an agent whose game is over."""
        agent = self.agent_selection
        if not self.agents:
            raise IllegalActionError(f"action {shown(action)}: the game is over and all agents are gone")
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise IllegalActionError(
                    f"{agent}: action {shown(action)}: the game is over, only None is accepted"
                )
            self._was_dead_step(action)
            return
        game = self.game
        result = batch.ILLEGAL
        if (type(action) is int or is_whole(action)) and 0 <= action < ACTION_COUNT:
            if self._recording and not game.why_illegal(action):
                self._recording.before(action)
            result = batch.step_checked(game.states, game.boxes, int(action))
        if result >= 0:
            self.agent_selection = self.possible_agents[result]
        elif result == batch.GAME_OVER:
            self._recording.finish()
            self._finish()
        else:
            self._refuse(agent, action)

    def _refuse(self, agent: str, action: Any) -> None:
        reason = self.game.why_illegal(action) or f"{agent}: action {shown(action)} is refused"
        if self.illegal == "raise" or not is_whole(action):
            raise IllegalActionError(reason)
        others = len(self.agents) - 1
        rewards = {other: -1.0 if other == agent else 1.0 / others for other in self.agents}
        self._end(rewards, truncated=False)
        self.infos[agent]["illegal"] = reason

    def _finish(self) -> None:
        rewards = self.game.rewards(self.reward_mode)
        self._end(dict(zip(self.agents, map(float, rewards), strict=True)), self.game.reason == "truncated")
        winners = self.game.winners()
        for seat, scores in enumerate(self.game.scores_json()):
            self.infos[self.agents[seat]].update(scores=scores, winner=seat in winners)

    def _end(self, rewards: dict[str, float], truncated: bool) -> None:
        self.rewards = rewards
        self._cumulative_rewards = dict(rewards)  # all rewards before the end are 0
        self.terminations = dict.fromkeys(self.agents, not truncated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.agent_selection = self.agents[0]

    def render(self) -> str | None:
        """The board in text, from one seat's view; None without `render_mode="ansi"`."""
        if self.render_mode is None:
            return None
        from spacemission_env.games.space_mission.text import board  # only those who render pay for it

        return board(self.game, self.render_seat)

    def close(self) -> None:
        """Close the record file."""
        self._recording.close()
