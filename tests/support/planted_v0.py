"""A small PettingZoo game with one fault by option: `env(fault="mask")`; and a Gymnasium game."""

import copy
import random

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

CARDS, ACTIONS, MOVES = 6, 4, 4
SHARED = np.random.default_rng(0)


class Cards(AECEnv):
    """Each of two players has a card and makes two moves; a move is allowed if it was not made before."""

    metadata = {"name": "planted_v0", "render_modes": [], "is_parallelizable": False}

    def __init__(self, fault="none"):
        super().__init__()
        self.fault, self.render_mode = fault, None
        self.possible_agents = ["a", "b"]
        low = 1 if fault == "outside" else 0
        space = spaces.Dict(
            {
                "observation": spaces.Box(low, 9, (3 + MOVES,), np.int8),
                "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        rng = SHARED if self.fault == "shared seed" else np.random.default_rng(seed)
        if self.fault == "random":
            rng = np.random.default_rng(random.randrange(10**6))
        if self.fault == "numpy":
            np.random.seed(seed)
        if self.fault == "used":
            rng = np.random.default_rng(getattr(self, "rng", seed))
        self.rng = rng
        self.agents = self.possible_agents[:]
        self.cards = dict(zip(self.agents, rng.choice(CARDS, 2, replace=False).tolist(), strict=True))
        if self.fault == "hash":
            self.cards["a"] = hash("card") % CARDS
        self.moves, self.buffer = [], np.zeros(3 + MOVES, np.int8)
        for name in ("rewards", "_cumulative_rewards"):
            setattr(self, name, dict.fromkeys(self.agents, 0.0))
        self.terminations, self.truncations = (dict.fromkeys(self.agents, False) for _ in range(2))
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = "a"

    def other(self, agent):
        return "b" if agent == "a" else "a"

    def observe(self, agent):
        seen = self.buffer if self.fault == "history" else np.zeros(3 + MOVES, np.int8)
        seen[0] = self.cards[agent] + (0.0 if self.fault != "outside" else -1)
        seen[1] = self.cards[self.other(agent)] if self.fault == "observation" else 0
        seen[2] = len(self.moves)
        seen[3 : 3 + len(self.moves)] = self.moves
        mask = np.array([action not in self.moves for action in range(ACTIONS)], np.int8)
        if self.fault == "mask" and self.cards[self.other(agent)] == 0:
            mask[int(np.flatnonzero(mask)[-1]) if mask.any() else 0] = 0
        if self.fault == "mask forbids" and mask.any():
            mask[np.flatnonzero(mask)[0]] = mask.sum() < 2
        if self.fault == "mask allows" and self.moves:
            mask[self.moves[0]] = 1
        return {"observation": seen.astype(np.int64) if self.fault == "dtype" else seen, "action_mask": mask}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        if action in self.moves:
            raise ValueError("illegal")
        self.moves.append(action)
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if self.fault == "late chance":
            self.cards["b"] = int(self.rng.integers(CARDS))
        if len(self.moves) == MOVES:
            best = max(self.cards, key=self.cards.get)
            self.rewards = {name: 1.0 if name == best else -1.0 for name in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.fault == "reward":
            self.rewards = dict.fromkeys(self.agents, float(self.cards["a"] > self.cards["b"]))
        self.agent_selection = self.other(agent)
        if self.fault == "credit":
            self._cumulative_rewards[self.agent_selection] += self.rewards[self.agent_selection]
        else:
            self._accumulate_rewards()
        if self.fault == "info":
            self.infos = {
                name: {"win": self.cards[name] > self.cards[self.other(name)]} for name in self.agents
            }

    def __deepcopy__(self, memo):
        if self.fault == "deepcopy":
            return self  # shares all memory
        new = object.__new__(type(self))
        vars(new).update(copy.deepcopy({k: v for k, v in vars(self).items() if k != "moves"}, memo))
        if hasattr(self, "moves"):
            new.moves = self.moves if self.fault == "copied list" else self.moves[:]
        return new

    def __getstate__(self):
        left_out = ("rng",) if self.fault == "pickle" else ()
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def __setstate__(self, state):
        vars(self).update({"rng": np.random.default_rng(0), **state})
        if self.fault == "pickle":
            self.moves = self.moves[:1]


def env(fault="none"):
    return Cards(fault)


def twin(env, seat, rng):
    """Another card for the other player; from its second move on, as rewards may be early."""
    new = object.__new__(type(env))
    vars(new).update(vars(env))
    other = env.other(seat)
    new.cards = {**env.cards, other: rng.choice([c for c in range(CARDS) if c not in env.cards.values()])}
    if env.terminations[seat]:
        return None
    if env.fault in ("info", "reward") and env.moves:  # what the step before told
        won = new.cards["a"] > new.cards["b"]
        new.infos = {name: {"win": won == (name == "a")} if env.infos[name] else {} for name in env.agents}
        if env.fault == "reward":
            new._cumulative_rewards = {
                seat: env._cumulative_rewards[seat] and float(won) for seat in env.agents
            }
            new.infos = env.infos
    return new


def no_twin(env, seat, rng):
    """A hook that finds nothing hidden."""


def same_twin(env, seat, rng):
    """A hook that forgets to change what is hidden."""
    return copy.deepcopy(env)


class Alone(gymnasium.Env):
    """Count to ten; with an action mask."""

    def __init__(self, fault="none"):
        self.fault = fault
        self.observation_space = spaces.Box(0, 10, (2,), np.float32)
        self.action_space = spaces.Discrete(3)

    def seen(self):
        noise = random.random() if self.fault == "random" else self.np_random.random()
        return np.array([self.count + (20 if self.fault == "outside" else 0), noise], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return self.seen(), {}

    def action_masks(self):
        return np.array([True, True, self.count < 8 or self.fault == "mask"])

    def step(self, action):
        if action == 2 and self.count >= 8:
            raise ValueError("too much")
        self.count += int(action)
        return self.seen(), 0.0, self.count >= 9, False, {}
