"""Provides any game as a Gymnasium environment: one learner against named agents.

A step is one decision of the learner and all moves of the opponents until the learner's next decision; the
reward covers all these moves.
"""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium import spaces

from spacemission_env.core.arguments import check_options, check_reset, check_seed, is_whole, known_options
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import IllegalActionError, shown
from spacemission_env.core.failed import GiveUpOnError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, check_choice, find_game
from spacemission_env.core.reading import Json
from spacemission_env.frontends.rendering import FRAMES, MODES, Rendering, modes_here
from spacemission_env.frontends.shaping import Shaping
from spacemission_env.frontends.spaces import IF_ILLEGAL, legal_in, truncates
from spacemission_env.frontends.turns import LearnerTurns
from spacemission_env.pictures.raster import SIZE

_NOTHING = np.array([-1])  # stands for an action that is no integer


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
    `action_masks()`, which MaskablePPO of sb3-contrib calls. `reset(options={"setup": …})` uses a set-up.

    Every `info` has the same entries, in new arrays, so that buffers and recorders can stack them:

    | entry | content |
    | --- | --- |
    | `action_mask` | int8 (actions,); zero once the game is over |
    | `seat` | the learner's seat |
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
        self._games = BatchedGames(1, spec.learner_players(num_players), rules, components, observation, spec)
        self._game = self._games.game(0)
        self.illegal = IF_ILLEGAL[check_choice("illegal", illegal, IF_ILLEGAL)]
        self._rendering = Rendering(render_mode, render_size, render_theme)
        self.metadata = {**type(self).metadata, "render_modes": modes_here()}
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0.0, 1.0, (spec.observation_size,), np.float32)
        self.action_space = spaces.Discrete(spec.action_count)
        limit, shaped = truncates(at_round_limit), Shaping(shaping, shaping_discount)
        self._turns = LearnerTurns(self._games, opponents, seat, reward, limit, shaped, learner_name, record)

    @property
    def game(self) -> Game:
        """The game; a copy of the environment has its own."""
        self._game.states = self._games.states  # in a copy of the environment they would be separate
        return self._game

    @property
    def seat(self) -> int:
        """The learner's seat."""
        return int(self._turns.seats[0])

    def reset(self, *, seed: int | None = None, options: Json | None = None) -> tuple[np.ndarray, Json]:
        """Deal a game (without `seed`, the next one) and let the opponents play until the learner's turn."""
        self.game.reset(None if seed is None else check_seed(seed), check_options(options))
        with GiveUpOnError(self.game.states):
            super().reset(seed=None if seed is None else int(seed))
            self._turns.lost[:] = False
            self._turns.moved = self.render if self._rendering.live else None
            if self._rendering.live:
                self.render()
            self._turns.start(self._games.everyone)
            return self._view()

    def step(self, action: int | np.integer | np.ndarray) -> tuple[np.ndarray, float, bool, bool, Json]:
        """Make the learner's move, then the opponents' until the learner's next turn or the end."""
        check_reset(self.game.states)
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action.item()
        game, turns, illegal = self.game, self._turns, ""
        if turns.ended[0]:
            raise IllegalActionError(f"action {shown(action)}: the game is over")
        move = np.array([action]) if is_whole(action) else _NOTHING
        try:
            turns.move(move)
        except IllegalActionError:
            illegal = str(game.why_illegal(action))
            if self.illegal == "raise" or move is _NOTHING:
                raise IllegalActionError(illegal + legal_in("info")) from None
            turns.lost[0] = True
            turns.move(move)
        turns.go_on()
        with GiveUpOnError(game.states):
            observation, info = self._view(illegal)
        return observation, float(turns.rewards[0]), bool(turns.terminated[0]), bool(turns.truncated[0]), info

    def action_masks(self) -> np.ndarray:
        """Legal moves of the learner: bool (actions,)."""
        check_reset(self.game.states)
        return self.game.mask(self.seat).astype(bool)

    def close(self) -> None:
        """Close the record file and the window."""
        self._turns.recording.close()
        self._rendering.close()

    def _view(self, illegal: str = "") -> tuple[np.ndarray, Json]:
        game, spec, turns = self.game, self.game_spec, self._turns
        observation, mask = np.empty(spec.observation_size, np.float32), np.empty(spec.action_count, np.int8)
        game.view(self.seat, observation, mask)
        scores = np.zeros((game.num_players, len(spec.score_names)), np.int64)
        winners, reason = np.zeros(game.num_players, bool), "illegal" if illegal else ""
        if turns.lost[0]:
            mask[:] = 0
        elif turns.ended[0]:
            scores, reason = game.scores(), str(game.reason)
            winners[game.winners()] = True
        info: Json = {"action_mask": mask, "seat": self.seat, "scores": scores, "winners": winners}
        info |= {"reason": reason, "illegal": illegal}
        if turns.shaping:
            info["margin"] = float(turns.margins[0])
        return observation, info

    def render(self) -> str | np.ndarray | None:
        """The game from the learner's view: text or pixels; None with `render_mode` None or "human"."""
        return self._rendering.show(self.game, self.seat)

    def _repr_svg_(self) -> str | None:
        started = self.game.states[0].num_players > 0
        return self.game.picture(self.seat, theme=self._rendering.theme) if started else None
