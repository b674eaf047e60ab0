"""Holds the bot and the test that `spacemission new-bot` writes.

`$name` is the module, `$cls` the class.
"""

from __future__ import annotations

from string import Template

BOT = Template('''\
"""$name: a bot for Space Mission, to be made your own.

- `python -m pytest test_$name.py` tests it,
- `spacemission play --agents $name:$cls,greedy --games 100` lets it play,
- `spacemission probe $name:$cls --show` asks it positions where the right move is known,
- `spacemission arena --agents $name:$cls,heuristic,greedy,random --games 1000 --out my_report` ranks it.
"""

from __future__ import annotations

import numpy as np
from spacemission_env import Agent
from spacemission_env.games.space_mission.actions import DEVELOP, DISCOVER, FLY_NEXT, JUMP, RING, SCAN, TAKE
from spacemission_env.games.space_mission.engine.layout import LAYOUT

KEPT_SHARE = 0.25  # share of the chips to keep: each jump costs one, and developing needs some


def piece(observation: np.ndarray, name: str) -> np.ndarray:
    """A piece of the observation by its name, in its shape: docs/observation.md lists them.

    Every number is scaled to 0 to 1. In pieces by seat, row 0 is this player, row 1 the next, and so on.
    """
    part = LAYOUT[name]
    return observation[part.slice].reshape(part.shape)


class $cls(Agent):
    """Develops where it can, else discovers, scans, or jumps to a planet with tiles to gain."""

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        """Return the number of a legal move (docs/actions.md lists them); `mask` is 1 for each legal move.

        `rng` is new for each decision. Use no other random numbers, so that games can be repeated.
        """
        legal = np.flatnonzero(mask)
        if legal[0] >= TAKE:
            return self.pick(observation, legal)
        for first, after in ((DEVELOP, DISCOVER), (DISCOVER, TAKE), (SCAN, DEVELOP)):
            moves = legal[(legal >= first) & (legal < after)]
            if len(moves):
                return int(rng.choice(moves))
        return self.travel(observation, legal, rng)

    def pick(self, observation: np.ndarray, legal: np.ndarray) -> int:
        """At a tile pick: the kind of which this player has most tiles, reserved ones included."""
        held = piece(observation, "tiles") + piece(observation, "reserved_kinds").sum(0)
        return int(max(legal, key=lambda action: held[action - TAKE]))

    def travel(self, observation: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> int:
        """Jump to the planet that promises most unless few chips are left; else fly, or change the hand."""
        jumps = legal[(legal >= JUMP) & (legal < FLY_NEXT)]
        if len(jumps) and piece(observation, "supply")[0] > KEPT_SHARE:
            worth = self.worth(observation)
            best = max(worth[(action - JUMP) % RING] for action in jumps)
            return int(rng.choice([a for a in jumps if worth[(a - JUMP) % RING] == best]))
        flights = legal[(legal >= FLY_NEXT) & (legal < SCAN)]
        if len(flights) and rng.random() < 0.5:
            return int(rng.choice(flights))
        return int(legal[legal < JUMP].max())  # the top-up that discards most

    def worth(self, observation: np.ndarray) -> np.ndarray:
        """What a planet promises, by ring position: reserved tiles first, then a pile open to all."""
        developed = piece(observation, "stations").any(0)
        something_left = (piece(observation, "tiles_left") > 0) & (piece(observation, "face_up") == 0)
        mine = piece(observation, "reserved")[0]
        return np.where(developed, 0.5 * something_left, mine + 0.1 * something_left)
''')

TEST = Template('''\
"""Tests of $name: run them with `python -m pytest test_$name.py` after every change."""

from __future__ import annotations

from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.schedule import round_robin
from spacemission_env.testing import check_agent

from $name import $cls


def test_its_moves_are_legal_and_follow_from_what_its_seat_knows() -> None:
    assert check_agent($cls()) == []


def test_it_beats_random() -> None:
    results = play_games([$cls(), "random"], *round_robin(2, 2, games=60, seed=1))
    assert results.shares[results.lineups == 0].sum() > 36
''')
