"""Provides any game as a Gymnasium environment: one learner against named agents.

A step is one decision of the learner and all moves of the opponents until the learner's next decision; the
reward covers all these moves.
"""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium import spaces

from spacemission_env.core.agents import act_alone
from spacemission_env.core.arguments import check_options, check_reset, check_seed, is_whole, known_options
from spacemission_env.core.errors import IllegalActionError, shown
from spacemission_env.core.failed import GiveUpOnError
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, check_choice, find_game
from spacemission_env.core.reading import Json
from spacemission_env.core.shaping import Shaping
from spacemission_env.frontends.opponents import Opponents, check_learner_name, check_seat, learner_seat
from spacemission_env.frontends.rendering import FRAMES, MODES, Rendering, modes_here
from spacemission_env.frontends.spaces import IF_ILLEGAL, legal_in, truncates
from spacemission_env.pictures.raster import SIZE
from spacemission_env.records.writer import Recording


class LearnerEnv(gymnasium.Env[np.ndarray, np.integer]):
    """One learner against named agents.

    Args:
        num_players: a number that the game allows; None: the minimum.
        opponents: an agent spec ("random", "greedy", "policy:PATH", "module:Class", an Agent) for all other
            seats, or a list of specs, clockwise from the learner. A mixture such as "greedy=0.5,random=0.5"
            draws an agent for each game with the game's seed.
        seat: the learner's seat; None: a random one each game.
        rules, components, observation, reward, illegal, at_round_limit, shaping, shaping_discount,
            render_mode, render_size, render_theme, record: as for `frontends.aec.GameAEC`.
        learner_name: the learner's name in records.
        game: which game, by name.

    Observations are float32 (observation_size,). The mask is in `info["action_mask"]` and in
    `action_masks()`, which MaskablePPO of sb3-contrib calls. `reset(options={"setup": …})` sets up a table.

    Every `info` has the same entries, in new arrays, so that buffers and recorders can stack them:

    | entry | content |
    | --- | --- |
    | `action_mask` | int8 (actions,); zero once the game is over |
    | `seat` | the learner's |
    | `scores` | int64 (num_players, categories), columns `game_spec.score_names`; zero before the end |
    | `winners` | bool (num_players,), by seat; all False before the end |
    | `reason` | "" before the end, then "finished", "truncated" or "illegal" |
    | `illegal` | "", or why the learner's move was illegal (`illegal="lose"`) |
    | `margin` | the learner's score margin, if rewards are shaped |
    """

    metadata = {"render_modes": list(MODES), "render_fps": FRAMES}

    @known_options
    def __init__(
        self,
        num_players: int | None = None,
        opponents: object = "random",
        seat: int | None = None,
        rules: object = None,
        components: object = None,
        observation: str = "perfect_recall",
        reward: str = "win",
        illegal: str = "raise",
        at_round_limit: str = "terminate",
        shaping: float = 0.0,
        shaping_discount: float = 1.0,
        render_mode: str | None = None,
        render_size: object = SIZE,
        render_theme: str = "light",
        record: object = None,
        learner_name: str = "learner",
        game: str | GameSpec = DEFAULT_GAME,
    ) -> None:
        spec = self.game_spec = find_game(game)
        self.game: Game = make_game(spec, spec.learner_players(num_players), rules, components, observation)
        num_players = self.game.num_players
        self.opponents = Opponents(opponents, self.game)
        self.fixed_seat = check_seat(seat, num_players)
        self.reward_mode = spec.reward_mode(reward)
        self.illegal = IF_ILLEGAL[check_choice("illegal", illegal, IF_ILLEGAL)]
        self.truncates = truncates(at_round_limit)
        self.shaping = Shaping(shaping, shaping_discount)
        self._margin = np.float32(0)  # the learner's margin at its last decision, if rewards are shaped
        self._rendering = Rendering(render_mode, render_size, render_theme)
        self.metadata = {**type(self).metadata, "render_modes": modes_here()}
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0.0, 1.0, (spec.observation_size,), np.float32)
        self.action_space = spaces.Discrete(spec.action_count)
        self.seat = 0
        self._lost = False  # whether the learner has lost by an illegal move (illegal="lose")
        self.learner_name = check_learner_name(learner_name)
        self._playing: list[int] = []  # indices of the opponents in this game
        self._recording = Recording(record)

    def reset(self, *, seed: int | None = None, options: Json | None = None) -> tuple[np.ndarray, Json]:
        """Deal a game (without `seed`, the next one) and let the opponents play until the learner's turn."""
        self.game.reset(None if seed is None else check_seed(seed), check_options(options))
        with GiveUpOnError(self.game.states):
            super().reset(seed=None if seed is None else int(seed))
            self._lost = False
            self.seat = learner_seat(self.fixed_seat, self.game.seed, self.game.num_players)
            self._playing = self.opponents.draw(self.game.seed)
            names = self.opponents.recorded(self.learner_name, self.seat, self._playing)
            self._recording.start(self.game, names)
            if self._rendering.live:
                self.render()
            self._opponents_play()
            observation, info = self._view()
            self._shaped(info, False)
        return observation, info

    def step(self, action: int | np.integer | np.ndarray) -> tuple[np.ndarray, float, bool, bool, Json]:
        """Make the learner's move, then the opponents' until the learner's next turn or the end."""
        check_reset(self.game.states)
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action.item()
        if self._lost:
            raise IllegalActionError(f"action {shown(action)}: the game is over")
        game = self.game
        reason = game.why_illegal(action)
        if reason and (self.illegal == "raise" or game.over or not is_whole(action)):
            raise IllegalActionError(reason if game.over else reason + legal_in("info"))
        with GiveUpOnError(game.states):
            if reason:
                self._lost = True
                observation, info = self._view(reason)
                return observation, self._shaped(info, True) - 1.0, True, False, info
            self._move(int(action))
            self._opponents_play()
            observation, info = self._view()
            truncated = self.truncates and game.reason == "truncated"
            terminated = game.over and not truncated
            reward = self._shaped(info, terminated)
            if game.over:
                reward += float(game.rewards(self.reward_mode)[self.seat])
        return observation, reward, terminated, truncated, info

    def _shaped(self, info: Json, terminated: bool) -> float:
        # Shaping reward for the change of the margin since the learner's last decision.
        if not self.shaping:
            return 0.0
        before, self._margin = self._margin, self.game.margins()[self.seat]
        info["margin"] = float(self._margin)
        return float(self.shaping.paid(before, self._margin, terminated))

    def action_masks(self) -> np.ndarray:
        """Legal moves of the learner: bool (actions,)."""
        check_reset(self.game.states)
        return self.game.mask(self.seat).astype(bool)

    def _opponents_play(self) -> None:
        game = self.game
        while not game.over and game.player != self.seat:
            mover = int(game.states[0].player)
            agent = self.opponents.agents[self._playing[(mover - self.seat) % game.num_players - 1]]
            self._move(int(act_alone(agent, game.ask())[0]))

    def _move(self, action: int) -> None:
        if self._recording and not self.game.why_illegal(action):
            self._recording.before(action)
        self.game.step(action)
        if self.game.over:
            self._recording.finish()
        if self._rendering.live:
            self.render()

    def close(self) -> None:
        """Close the record file and the window."""
        self._recording.close()
        self._rendering.close()

    def _view(self, illegal: str = "") -> tuple[np.ndarray, Json]:
        game = self.game
        observation = np.empty(self.game_spec.observation_size, np.float32)
        mask = np.empty(self.game_spec.action_count, np.int8)
        game.view(self.seat, observation, mask)
        if self._lost:
            mask[:] = 0
        winners = np.zeros(game.num_players, bool)
        if game.over:
            scores = game.scores()
            winners[game.winners()] = True
        else:
            scores = np.zeros((game.num_players, len(self.game_spec.score_names)), np.int64)
        info: Json = {"action_mask": mask, "seat": self.seat, "scores": scores, "winners": winners}
        return observation, info | {"reason": "illegal" if illegal else game.reason or "", "illegal": illegal}

    def render(self) -> str | np.ndarray | None:
        """The game from the learner's view: text or pixels; None with `render_mode` None or "human"."""
        return self._rendering.show(self.game, self.seat)

    def _repr_svg_(self) -> str | None:
        started = self.game.states[0].num_players > 0
        return self.game.picture(self.seat, theme=self._rendering.theme) if started else None
