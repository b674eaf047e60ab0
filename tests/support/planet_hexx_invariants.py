"""Checks invariants of Planet Hexx in many games at once."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import CELLS, NEIGHBOURS

PLANET = c.TYPE_NAMES.index("planet")


class Watched:
    """Checks each decision of games.

    Attributes:
        decisions: number of checked decisions.
        free: games in which a hex may lie beside any other hex (`place any`).
        asked: counts by decision.
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
        self.plain = np.append(self.t.placing[:kinds] == c.PLAIN, False)  # the last entry: no hex
        self.planet = np.append(self.t.type[:kinds] == PLANET, False)

    def look(self, index: np.ndarray, masks: np.ndarray) -> None:
        """Check the games of an index; `masks`: legal moves of the seats to act."""
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
        """Games in which a hex may be laid beside any other hex now."""
        top = s["stack"][np.arange(len(s)), np.maximum(s["depth"] - 1, 0)]
        mode = self.t.code[np.maximum(top["pc"], 0), 1]
        return (s["asked"] == c.PLACE) & (s["depth"] > 0) & (mode == 1)

    def cards(self, s: np.record) -> np.ndarray:
        """The number of cards of each kind in all places, int64 (games, kinds)."""
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
        """Whether Data or counters are out of range, or Data lie on a Space."""
        on_planets = self.planet[s["hex"]]
        wrong = (
            (s["hex_data"] < 0) | (s["hex_data"] > c.MOST_DATA) | ((s["hex_data"] != 0) & ~on_planets)
        ).any(1)
        wrong |= ((s["store"] < 0) | (s["store"] > c.MOST_DATA)).any(1)
        return wrong | ((s["counters"] < 0) | (s["counters"] > c.MOST_COUNTERS)).any(1)

    def ships(self, s: np.record) -> np.ndarray:
        """Whether a ship is on no hex, or its latest Landing is no Planet."""
        rows = np.arange(len(s))[:, None]
        seats = np.arange(s["ship"].shape[1]) < s["num_players"][:, None]
        off = s["hex"][rows, s["ship"]] < 0
        nowhere = (s["landed"] >= 0) & ~self.planet[s["hex"][rows, np.maximum(s["landed"], 0)]]
        return (seats & (off | nowhere)).any(1)

    def planets_beside_planets(self, s: np.record) -> np.ndarray:
        """HX-11: whether two Planets of class PLAIN touch."""
        plain = np.zeros((len(s), CELLS + 1), bool)  # the last entry: outside the grid
        plain[:, :CELLS] = self.plain[s["hex"]]
        return np.any([(plain[:, :CELLS] & plain[:, NEIGHBOURS[:, d]]).any(1) for d in range(3)], axis=0)

    def stack(self, s: np.record) -> np.ndarray:
        """Whether the depth of the stack does not fit the decision."""
        idle = (s["asked"] == c.MAIN) | (s["asked"] == c.SIDE)
        return (idle != (s["depth"] == 0)) | (s["depth"] < 0) | (s["depth"] >= c.MOST_FRAMES)

    def moves(self, s: np.record, masks: np.ndarray) -> np.ndarray:
        """Whether a decision has too few legal moves."""
        alone = (s["asked"] == c.WINDOW) & bool(self.t.always_ask)
        return masks.sum(1) < np.where(alone, 1, 2)
