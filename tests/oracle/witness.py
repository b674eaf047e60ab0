"""Reports the events of a game to the trackers of all seats."""

from collections import Counter
from collections.abc import Sequence

from .knowledge import Tracker, public_of
from .space_mission_oracle import (
    DEVELOP,
    DEVELOP_PAIRS,
    DISCOVER,
    FLY_NEXT,
    JUMP,
    SCAN,
    TAKE,
    OracleGame,
    Plain,
    Shuffled,
)


class Witness:
    """Watches an `OracleGame` from its first state; `trackers[seat]` is the knowledge of a seat.

    Either `play(action, shuffled)`, or `before(action)`, the game's `apply`, `after(action)`.
    """

    def __init__(self, game: OracleGame, rules: Plain) -> None:
        """Watch `game` from its first state; `rules`: the rules of the game."""
        self.game, self.rules = game, rules
        state = game.snapshot()
        assert not state["discard"] and not any(state["taken"]), "a witness watches from the first state on"
        hands, public = state["hands"], public_of(state)
        box = {
            "tiles": Counter(tile for pile in state["piles"] for tile in pile),
            "piles": [len(pile) for pile in state["piles"]],
            "cards": sorted([*state["draw_pile"], *(card for hand in hands for card in hand)]),
        }
        sizes = [len(hand) for hand in hands]
        self.trackers = [
            Tracker(seat, len(hands), rules, box, hands[seat], sizes, public) for seat in range(len(hands))
        ]
        self._state: Plain = state

    def play(self, action: int, shuffled: Shuffled) -> None:
        """Apply the action to the game and report its events."""
        self.before(action)
        self.game.apply(action, shuffled)
        self.after(action)

    def before(self, action: int) -> None:
        """Call this just before the action is applied to the game."""
        self._state = self.game.snapshot()

    def after(self, action: int) -> None:
        """Call this just after the action was applied to the game."""
        old, new = self._state, self.game.snapshot()
        seat = old["player"]
        if action >= TAKE:
            planet = old["ships"][seat]
            taker, tile = new["taken"][planet][-1]
            assert taker == seat
            for tracker in self.trackers:
                tracker.takes(seat, planet, tile if tracker.seat == seat else None)
        else:
            cards = self._played(action, old["hands"][seat])
            if cards:
                for tracker in self.trackers:
                    tracker.plays(seat, cards)
            if action < JUMP:
                self._drawn(seat, cards, old, new)
            elif new["phase"] not in ("action", "over"):  # looks through the pile where the ship is
                planet = old["ships"][seat]
                self.trackers[seat].looks(planet, new["piles"][planet])
        for planet, up in enumerate(new["face_up"]):
            if up and not old["face_up"][planet]:
                for tracker in self.trackers:
                    tracker.turned_up(planet)
        for tracker in self.trackers:
            tracker.told_public(public_of(new))
        self._state = new

    @staticmethod
    def _played(action: int, hand: Sequence[str]) -> list[str]:
        if action < JUMP:
            slots: Sequence[int] = [slot for slot in range(5) if action >> slot & 1]
        elif action < FLY_NEXT:
            slots = [(action - JUMP) // 8]
        elif action < SCAN:
            slots = []
        elif action < DEVELOP:
            slots = [action - SCAN]
        else:
            slots = DEVELOP_PAIRS[action - DEVELOP] if action < DISCOVER else []
        return [hand[slot] for slot in slots]

    def _drawn(self, seat: int, discards: list[str], old: Plain, new: Plain) -> None:
        """SM-21, SM-23: report the numbers of cards from the old and the new draw pile, and the shuffle.

        Pile sizes are public, so all of this is; only the seat that draws sees the cards.
        """
        kept = Counter(old["hands"][seat]) - Counter(discards)
        drawn = Counter(new["hands"][seat]) - kept
        wanted = self.rules["hand_size"] - kept.total()
        discard = sorted([*old["discard"], *discards])
        size = len(old["draw_pile"])
        first = min(max(wanted, 0), size)
        after_first = size - first
        own_first = old["draw_pile"][:first]
        self._tell_draw(seat, own_first)
        # The shuffle follows the last card or, if it was postponed, comes before the next draw.
        formed = after_first == 0 and bool(discard) and (first > 0 or wanted > 0)
        if formed:
            for tracker in self.trackers:
                tracker.shuffled(discard)
            rest = drawn - Counter(own_first)
            self._tell_draw(seat, sorted(rest.elements()))
            after_first = len(discard) - rest.total()
        assert after_first == len(new["draw_pile"]), "the witness misread a top-up"
        assert new["discard"] == ([] if formed else discard), "the witness misread a shuffle"

    def _tell_draw(self, seat: int, cards: Sequence[str]) -> None:
        if cards:
            for tracker in self.trackers:
                tracker.draws(seat, len(cards), cards if tracker.seat == seat else None)
