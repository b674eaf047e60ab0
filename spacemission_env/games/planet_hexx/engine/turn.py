"""Deals the game (HX-1 to HX-7) and runs turns (HX-8, HX-9).

HX-nn and HR-nn are ids of rules in docs/planet_hexx_rules.md.
"""

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.rng import below, hash63, seed_rng, shuffle
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.board import lay
from spacemission_env.games.planet_hexx.engine.cards import draw, new_deck
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.costs import actions_of
from spacemission_env.games.planet_hexx.engine.grid import CENTRE, EAST
from spacemission_env.games.planet_hexx.engine.missions import begin_uploaded, end_of_round
from spacemission_env.games.planet_hexx.engine.stack import ask, note_deed, open_window, push
from spacemission_env.games.planet_hexx.engine.state import BLANK

SALT_STREAM = 0x5A17  # separates salts from other numbers derived from the seed


@njit
def deal(s, t, num_players, seed):
    """Deal a new game, up to the choice of sides; HR-24 gives the order of the random draws."""
    seed_rng(s, seed)
    clear(s, num_players)
    s.salt = hash63(seed, SALT_STREAM, 0)
    deal_files(s, t)
    s.start_player = roll_for_start(s) if t.start_player == c.NOBODY else t.start_player
    s.active = s.start_player
    lay(s, t, CENTRE, t.space_base, 0)  # HX-4
    lay(s, t, EAST, t.delta_colony, 0)
    s.hex_data[EAST] = c.DELTA_DATA  # HX-5
    make_deck(s, t)


@njit
def clear(s, num_players):
    """Clear the table; all ships are on the Space Base (HX-6)."""
    s.salt = s.decisions = s.seen_decisions = 0
    s.num_players = num_players
    s.start_player = s.player = s.active = 0
    s.over = RUNNING
    s.round_number = 1
    s.asked = c.SIDE
    s.phase = c.CHOOSING_SIDES
    s.turn = s.actions_left = s.rolled = s.depth = 0
    s.hexes = s.deck_size = s.deck_known = s.shuffles = s.discard_size = 0
    clear_turn(s)
    for d in range(c.MOST_FRAMES):
        s.stack[d] = BLANK[0]
    s.deeds[:] = c.NOTHING
    s.ship[:] = CENTRE
    s.landed[:] = c.NOWHERE
    s.store[:] = 0
    s.counters[:] = s.won[:] = 0
    s.file[:] = s.side[:] = c.NOTHING
    s.points[:] = s.filled[:] = c.NOTHING
    s.hand[:] = c.NOTHING
    s.known[:] = s.epoch[:] = 0
    s.hand_size[:] = 0
    s.deck[:] = 0
    s.discard[:] = 0
    s.hex[:] = c.NOTHING
    s.hex_data[:] = s.turned[:] = s.walls[:] = 0
    s.placed[:] = s.placed_at[:] = s.open_cells[:] = 0
    s.touches[:] = s.touches_space[:] = s.touches_plain[:] = 0
    s.rows[:] = s.reached[:] = 0


@njit
def deal_files(s, t):
    """HX-1: shuffle the Mission Files, with the deck's array as scratch; give seat j the j-th file."""
    for i in range(t.files):
        s.deck[i] = i
    shuffle(s, s.deck, t.files)
    for j in range(s.num_players):
        s.file[j] = s.deck[j]


@njit
def roll_for_start(s):
    """HX-3: the highest roll of two dice starts; tied seats roll again."""
    tied = (1 << s.num_players) - 1
    while tied & (tied - 1) != 0:
        best = 0
        highest = 0
        for j in range(s.num_players):
            if tied >> j & 1:
                total = 2 + below(s, 6) + below(s, 6)
                if total > highest:
                    highest = total
                    best = 0
                if total == highest:
                    best |= 1 << j
        tied = best
    seat = 0
    while tied >> seat & 1 == 0:
        seat += 1
    return seat


@njit
def make_deck(s, t):
    """HX-7: shuffle all cards, sorted by kind, into the deck."""
    for card in range(t.kinds):
        s.discard[card] = t.copies[card]
    new_deck(s, t)
    s.shuffles = 0


@njit
def choose_side(s, t, seat, side):
    """HX-1: set the side of a seat; after the last one deal the hands (HX-7) and begin the first turn."""
    s.side[seat] = side
    for p in range(c.POINTS):
        s.points[seat, p] = t.missions[s.file[seat], side, p]
    if seat + 1 == s.num_players:
        for j in range(s.num_players):
            draw(s, t, j, t.hand_size)
        begin_turn(s, t)


@njit
def clear_turn(s):
    """Clear the fields that last for a turn."""
    s.gained[:] = s.gained_ever[:] = 0
    s.banned[:] = 0
    s.bonus[:] = 0
    s.surprised[:] = 0
    s.collect_bonus[:] = 0
    s.once[:] = 0
    s.begun = 0
    s.latest = c.NOTHING


@njit
def begin_turn(s, t):
    """Begin the active seat's turn."""
    clear_turn(s)
    s.turn += 1
    s.round_number = (s.turn - 1) // s.num_players + 1
    s.actions_left = t.actions_per_turn
    s.phase = c.BEGINNING


@njit
def end_turn(s, t):
    """Pass the turn clockwise; a round ends before the turn of the first player."""
    s.actions_left = 0
    s.active = (s.active + 1) % s.num_players
    clear_turn(s)
    if s.active == s.start_player:
        end_of_round(s, t)
    if s.over == RUNNING:
        begin_turn(s, t)


@njit
def end_actions(s):
    """HX-8: end the active seat's Actions; unused Actions are lost."""
    note_deed(s, s.active, c.DONE_DEED, c.NOTHING, 0)
    s.actions_left = 0
    s.gained[:] = 0
    s.phase = c.ENDING


@njit
def advance_turn(s, t):
    """Continue the turn; return whether a player must choose."""
    seat = int(s.active)
    if s.phase == c.CHOOSING_SIDES:
        first = 0
        while s.side[first] != c.NOTHING:
            first += 1
        return ask(s, c.SIDE, first)
    if c.BEGINNING <= s.phase < c.ACTING:  # HR-32, HR-35
        point = s.phase - c.BEGINNING
        s.phase += 1
        if s.phase == c.ACTING:
            open_window(s, t, c.TURN_BEGINS, seat)
        card = int(s.filled[seat, point])
        if card != c.NOTHING:
            begin_uploaded(s, t.on_turn[card], seat, card)
        return False
    if s.phase == c.ACTING:
        if actions_of(s, seat) > 0:
            return ask(s, c.MAIN, seat)
        s.phase = c.ENDING
    if s.phase == c.ENDING:  # HR-32
        s.phase = c.TRIMMING
        open_window(s, t, c.TURN_ENDS, seat)
        return False
    if s.phase == c.TRIMMING:  # HX-9
        s.phase = c.DRAWING
        more = int(s.hand_size[seat]) - int(t.hand_size)
        if more > 0:
            begin_discards(s, seat, more, c.ANY_TYPE)
            return False
    draw(s, t, seat, int(t.hand_size) - int(s.hand_size[seat]))
    end_turn(s, t)
    return False


@njit
def begin_discards(s, seat, count, wanted):
    """Let a seat discard cards of a type, one by one."""
    f = push(s, c.DISCARDING, wanted, seat)
    f.left = count
