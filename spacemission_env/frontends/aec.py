"""Provides any game as a PettingZoo AEC environment.

One step is one decision; a seat may decide several times in a row. After the end, `agent_selection` visits
the agents in seat order: each reads its final reward from `last()` and steps with None.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from spacemission_env.core.arguments import check_options, check_reset, is_whole, known_options
from spacemission_env.core.constants import GAME_OVER, ILLEGAL_MOVE
from spacemission_env.core.errors import IllegalActionError, SetupError, SpaceMissionError, shown
from spacemission_env.core.failed import give_up
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, check_choice, find_game
from spacemission_env.core.reading import Json
from spacemission_env.frontends.rendering import FRAMES, MODES, Rendering, modes_here
from spacemission_env.frontends.shaping import Shaping
from spacemission_env.frontends.spaces import (
    IF_ILLEGAL,
    AfterReset,
    legal_in,
    observation_space,
    truncates,
)
from spacemission_env.frontends.turns import check_seat
from spacemission_env.pictures.raster import SIZE
from spacemission_env.records.writer import Recording, check_names


def env(game: str | GameSpec = DEFAULT_GAME, **options: Any) -> AECEnv:
    """The environment of a game in PettingZoo's order-enforcing wrapper; it takes the options of `GameAEC`.

    The environment itself refuses illegal and out-of-range actions, with the reason.
    """
    return InOrder(GameAEC(game=game, **options))


class InOrder(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's order-enforcing wrapper, with a picture for notebooks."""

    def _repr_svg_(self) -> str | None:
        drawn: str | None = self.unwrapped._repr_svg_()
        return drawn


class GameAEC(AECEnv):  # type: ignore[misc]
    """The AEC environment without wrappers.

    Args:
        num_players: a number that the game allows; None: the game's default.
        rules: a preset name, a rules object, or a dict of options; None: the rules of the printed game.
        components: None (the default ones), or a path to a components file.
        observation: "perfect_recall", or "table": only what is visible on the table now.
        reward: one of the game's `reward_names`, such as "win" (the winners split +1, the losers split -1)
            or "rank".
        illegal: what an illegal move does. "raise": IllegalActionError, and nothing changes; "lose": the
            game ends, the player who made the move gets -1, the others share +1.
        at_round_limit: how a game that ends by the round limit is reported. "terminate": as terminated, and
            its rewards are final; "truncate": as truncated, and learning libraries bootstrap from a value.
        shaping: weight of potential-based shaping (docs/environments.md); 0: none. Each agent is also paid
            the weight times the change of its score margin between two of its decisions; the final margin
            counts as 0. `infos` contains the margin. For training only: the margin uses the full state, so
            it may reveal more than the agent knows.
        shaping_discount: give the learner's discount (`gamma`), so that shaping keeps the optimal policy.
        render_mode: None, "ansi" (text), "rgb_array" (pixels: `render` returns uint8 (height, width, 3)) or
            "human" (a window that follows the game).
        render_seat: whose view `render` shows; None: the seat to act.
        render_size: (width, height) in pixels, or one number for a square; up to 400 the drawing is
            simplified.
        render_theme: "light" or "dark".
        record: None, or a path to write every finished game to.
        record_agents: names of the players in the record; default: the agents' names.
        game: which game, by name.
    """

    # Reading these before a `reset` raises NotResetError; `_start` sets them and `_give_up` removes them.
    agent_selection = rewards = terminations = truncations = infos = _cumulative_rewards = AfterReset()
    metadata = {"render_modes": list(MODES), "is_parallelizable": False, "render_fps": FRAMES}

    @known_options
    def __init__(
        self,
        num_players: int | None = None,
        rules: object = None,
        components: object = None,
        observation: str = "perfect_recall",
        reward: str = "win",
        illegal: str = "raise",
        at_round_limit: str = "terminate",
        shaping: float = 0.0,
        shaping_discount: float = 1.0,
        render_mode: str | None = None,
        render_seat: int | None = None,
        render_size: object = SIZE,
        render_theme: str = "light",
        record: object = None,
        record_agents: list[str] | None = None,
        game: str | GameSpec = DEFAULT_GAME,
    ) -> None:
        super().__init__()
        self.game_spec = find_game(game)
        self.metadata = {**type(self).metadata, "name": self.game_spec.env, "render_modes": modes_here()}
        self.game: Game = make_game(self.game_spec, num_players, rules, components, observation)
        num_players = self.game.num_players
        self.reward_mode = self.game_spec.reward_mode(reward)
        self.truncates = truncates(at_round_limit)
        self.shaping = Shaping(shaping, shaping_discount)
        self._margins: dict[str, np.float32] = {}  # each agent's margin at its last decision
        self.illegal = IF_ILLEGAL[check_choice("illegal", illegal, IF_ILLEGAL)]
        self._rendering = Rendering(render_mode, render_size, render_theme)
        self.render_mode = render_mode
        self.render_seat = check_seat(render_seat, num_players)
        self.agents: list[str] = []
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        size, actions = self._sizes = self.game_spec.observation_size, self.game_spec.action_count
        self.observation_spaces = {agent: observation_space(self.game_spec) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(0.0, 1.0, (num_players * size,), np.float32)
        self.record_agents = self.possible_agents if record_agents is None else record_agents
        check_names(self.record_agents, num_players)
        self._recording = Recording(record)

    def reset(self, seed: int | None = None, options: Json | None = None) -> None:
        """Deal a new game from `seed`; `options={"setup": {…}}` starts from a set-up instead.

        Without a seed, deal the next game after the last one (the first game: a random one).
        """
        refusable = True
        try:
            self.game.reset(seed, check_options(options))
            refusable = False
            self._recording.start(self.game, self.record_agents)
            self._start()
            if self._rendering.live:
                self.render()
        except BaseException as error:
            if not (refusable and isinstance(error, SpaceMissionError)):
                self._give_up()
            raise

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Observation and mask of an agent (new arrays); the mask is zero unless the agent is to act."""
        observation = np.empty(self._sizes[0], np.float32)
        mask = np.empty(self._sizes[1], np.int8)
        game, seat = self.game, self._seat_of(agent)
        if not self.game_spec.batch.view_one(
            game.states, 0, game.parameters, seat, game.recall, observation, mask
        ):
            check_reset(game.states)
        return {"observation": observation, "action_mask": mask}

    def state(self) -> np.ndarray:
        """The observations of all seats in seat order: float32 (state_space.shape).

        For centralised critics in training. It contains all that at least one seat knows, and nothing that no
        seat knows, such as the order of the draw pile.
        """
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    def step(self, action: object) -> None:
        """Make the move of `agent_selection`; its action is None once the game is over."""
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
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action.item()  # as Gymnasium's environments do
        result = ILLEGAL_MOVE
        try:
            if (type(action) is int or is_whole(action)) and 0 <= action < self._sizes[1]:
                if self._recording and not game.why_illegal(action):
                    self._recording.before(action)
                result = self.game_spec.batch.step_checked(game.states, game.parameters, int(action))
            refused = result == ILLEGAL_MOVE and (self.illegal == "raise" or not is_whole(action))
            if result >= 0:
                self._turn_of(result, agent)
            elif result == GAME_OVER:
                self._recording.finish()
                self._finish(agent)
            elif not refused:
                self._lose(agent, action)
            if self._rendering.live and not refused:
                self.render()
        except BaseException:
            self._give_up()
            raise
        if refused:
            raise IllegalActionError(f"{self._why_illegal(agent, action)}{legal_in('observation')}")

    def _why_illegal(self, agent: str, action: object) -> str:
        return self.game.why_illegal(action) or f"{agent}: action {shown(action)} is refused"

    def _lose(self, agent: str, action: object) -> None:
        others = len(self.agents) - 1
        rewards = {other: -1.0 if other == agent else 1.0 / others for other in self.agents}
        self._end(rewards, agent)
        for other in self.agents:
            self._tell(other, reason="illegal")
        self._tell(agent, illegal=self._why_illegal(agent, action))

    def _tell(self, agent: str, **entries: object) -> None:
        self.infos[agent] = {**self.infos[agent], **entries}  # not in place: a caller may hold the last one

    def _give_up(self) -> None:
        give_up(self.game.states)
        for name, value in vars(GameAEC).items():
            if isinstance(value, AfterReset):
                self.__dict__.pop(name, None)

    def render(self) -> str | np.ndarray | None:
        """The game from one seat's view: text or pixels; None with `render_mode` None or "human"."""
        return self._rendering.show(self.game, self.render_seat)

    def _repr_svg_(self) -> str | None:
        started = self.game.states[0].num_players > 0
        return self.game.picture(self.render_seat, theme=self._rendering.theme) if started else None

    def close(self) -> None:
        """Close the record file and the window."""
        self._recording.close()
        self._rendering.close()

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of the agent's observations (always the same object)."""
        return self.observation_spaces[self.possible_agents[self._seat_of(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of the agent's actions (always the same object)."""
        return self.action_spaces[self.possible_agents[self._seat_of(agent)]]

    def _seat_of(self, agent: str) -> int:
        try:
            return self.seats[agent]
        except (KeyError, TypeError):
            expected = ", ".join(self.possible_agents)
            raise SetupError(f"agent: expected one of {expected}, not {shown(agent)}") from None

    # ------------------------------------------------------------ rewards and ends

    def _start(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._new_info() for agent in self.agents}
        self._skip_agent_selection = None
        self._margins.clear()
        self._turn_of(int(self.game.states[0].player), None)

    def _new_info(self) -> Json:
        # Every info has the same entries, so that buffers can stack them.
        scores = dict.fromkeys(self.game_spec.score_names, 0)
        info: Json = {"scores": scores, "winner": False, "reason": "", "illegal": ""}
        return {**info, "margin": 0.0} if self.shaping else info

    def _turn_of(self, seat: int, moved: str | None) -> None:
        # At each decision of a seat, shaping pays for the change of its margin since its last decision.
        agent = self.agent_selection = self.possible_agents[seat]
        if self.shaping:
            self._pay(dict.fromkeys(self.agents, 0.0), moved)
            self._shape(agent, self.game.margins()[seat], False)

    def _finish(self, moved: str) -> None:
        game = self.game
        rewards = dict(zip(self.agents, map(float, game.rewards(self.reward_mode)), strict=True))
        self._end(rewards, moved, self.truncates and game.reason == "truncated")
        winners = game.winners()
        for seat, scores in enumerate(game.scores_json()):
            self._tell(self.agents[seat], scores=scores, winner=seat in winners, reason=game.reason)

    def _end(self, rewards: dict[str, float], moved: str, truncated: bool = False) -> None:
        self._pay(rewards, moved)
        if self.shaping:
            for agent, margin in zip(self.agents, self.game.margins(), strict=True):
                self._shape(agent, margin, not truncated)
        self.terminations = dict.fromkeys(self.agents, not truncated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.agent_selection = self.agents[0]

    def _pay(self, rewards: dict[str, float], moved: str | None) -> None:
        # Set the rewards of a step; the agent that moved has already read its earlier rewards.
        self.rewards = rewards
        if moved is not None:
            self._cumulative_rewards[moved] = 0.0
        for agent, reward in rewards.items():
            self._cumulative_rewards[agent] += reward

    def _shape(self, agent: str, margin: np.float32, terminated: bool) -> None:
        before = self._margins.get(agent)
        if before is not None:  # else it has not moved yet
            paid = float(self.shaping.paid(before, margin, terminated))
            self.rewards[agent] += paid
            self._cumulative_rewards[agent] += paid
        self._margins[agent] = margin
        self._tell(agent, margin=float(margin))
