"""What holds at every decision of every game of Planet Hexx, looked at in many games at once."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import CELLS, NEIGHBOURS

PLANET = c.TYPE_NAMES.index("planet")


class Watched:
    """Games whose every decision is looked at.

    Attributes:
        decisions: how many have been.
        free: games in which a hex may have been laid beside any other (`place any`).
        asked: how often each decision.
    """

    def __init__(self, games: BatchedGames) -> None:
        self.games = games
        self.t = games.template.t
        self.free = np.zeros(games.count, bool)
        self.decisions = 0
        self.asked = np.zeros(64, np.int64)
        kinds = int(self.t.kinds)
        self.expected = np.array(self.t.copies[:kinds], np.int64)
        self.expected[[self.t.space_base, self.t.delta_colony]] += 1
        self.plain = np.append(self.t.placing[:kinds] == c.PLAIN, False)  # the last: no hex
        self.planet = np.append(self.t.type[:kinds] == PLANET, False)

    def look(self, index: np.ndarray, masks: np.ndarray) -> None:
        """Nothing is wrong in these games, whose seats to act may make these moves."""
        s = self.games.states[index]
        self.decisions += len(index)
        self.asked += np.bincount(s["asked"], minlength=len(self.asked))
        self.free[index] |= self.lays_freely(s)
        found = {
            "cards": (self.cards(s) != self.expected).any(1),
            "Data": self.data(s),
            "hands": (s["hand_size"] < 0).any(1) | (s["hand_size"] > c.HAND).any(1),
            "ships": self.ships(s),
            "planets": self.planets_beside_planets(s) & ~self.free[index],
            "stack": self.stack(s),
            "moves": self.moves(s, masks),
        }
        for name, wrong in found.items():
            if wrong.any():
                first = index[np.flatnonzero(wrong)[0]]
                seed, made = self.games.states[first]["seed"], self.games.states[first]["decisions"]
                raise AssertionError(f"{name}: game {first} of seed {seed} after {made} decisions")

    def lays_freely(self, s: np.record) -> np.ndarray:
        """Where a hex may be laid now beside any other."""
        top = s["stack"][np.arange(len(s)), np.maximum(s["depth"] - 1, 0)]
        mode = self.t.code[np.maximum(top["pc"], 0), 1]
        return (s["asked"] == c.PLACE) & (s["depth"] > 0) & (mode == 1)

    def cards(self, s: np.record) -> np.ndarray:
        """How many cards of each kind there are anywhere, int64 (games, kinds)."""
        n, kinds = len(s), len(self.expected)
        counts = s["discard"][:, :kinds].astype(np.int64)
        frames = np.arange(c.MOST_FRAMES) < s["depth"][:, None]
        stack = s["stack"]
        played = (stack["kind"] == c.PLAYING) & (stack["mode"] != c.COPY) & (stack["gone"] == 0)
        places = (
            (s["deck"], np.arange(s["deck"].shape[1]) < s["deck_size"][:, None]),
            (s["hand"], np.arange(c.HAND) < s["hand_size"][:, :, None]),
            (s["filled"], True),
            (s["hex"], True),
            (stack["card"], frames & played),
            (stack["held"], frames & (stack["kind"] == c.CARRYING_OUT)),
        )
        for cards, there in places:
            at = np.nonzero(there & (cards >= 0))
            counts += np.bincount(at[0] * kinds + cards[at], minlength=n * kinds).reshape(n, kinds)
        return counts

    def data(self, s: np.record) -> np.ndarray:
        """Data below 0 or beyond the most, or on what is no Planet; too many counters."""
        on_planets = self.planet[s["hex"]]
        wrong = (
            (s["hex_data"] < 0) | (s["hex_data"] > c.MOST_DATA) | ((s["hex_data"] != 0) & ~on_planets)
        ).any(1)
        wrong |= ((s["store"] < 0) | (s["store"] > c.MOST_DATA)).any(1)
        return wrong | ((s["counters"] < 0) | (s["counters"] > c.MOST_COUNTERS)).any(1)

    def ships(self, s: np.record) -> np.ndarray:
        """A ship that is on no hex, or that has Landed on what is no Planet."""
        rows = np.arange(len(s))[:, None]
        seats = np.arange(s["ship"].shape[1]) < s["num_players"][:, None]
        off = s["hex"][rows, s["ship"]] < 0
        nowhere = (s["landed"] >= 0) & ~self.planet[s["hex"][rows, np.maximum(s["landed"], 0)]]
        return (seats & (off | nowhere)).any(1)

    def planets_beside_planets(self, s: np.record) -> np.ndarray:
        """HX-11: two Planets that touch, of which neither says that it may."""
        plain = np.zeros((len(s), CELLS + 1), bool)  # the last: outside
        plain[:, :CELLS] = self.plain[s["hex"]]
        return np.any([(plain[:, :CELLS] & plain[:, NEIGHBOURS[:, d]]).any(1) for d in range(3)], axis=0)

    def stack(self, s: np.record) -> np.ndarray:
        """Something under way where a turn goes on or ends, nothing where an effect asks; a bad depth."""
        idle = (s["asked"] == c.MAIN) | (s["asked"] == c.SIDE)
        return (idle != (s["depth"] == 0)) | (s["depth"] < 0) | (s["depth"] >= c.MOST_FRAMES)

    def moves(self, s: np.record, masks: np.ndarray) -> np.ndarray:
        """No legal move, or only one where nobody would have to be asked."""
        alone = (s["asked"] == c.WINDOW) & bool(self.t.always_ask)
        return masks.sum(1) < np.where(alone, 1, 2)
