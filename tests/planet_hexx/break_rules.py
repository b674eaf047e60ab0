"""A check of the rule tests: break one rule in a copy of the code, and see whether the tests notice.

    python -m tests.planet_hexx.break_rules              ten mutations at random
    python -m tests.planet_hexx.break_rules --all        every one
    python -m tests.planet_hexx.break_rules --list

How it is done: tests/support/breaking.py. The statements of effects (HX-48): broken_statements.py.
"""

from __future__ import annotations

import sys

from tests.planet_hexx.broken_statements import STATEMENTS_BROKEN
from tests.support.breaking import Mutation, Table

GAME = "spacemission_env/games/planet_hexx"  # where the files below are
TURN, COSTS, BOARD, CARDS = "engine/turn.py", "engine/costs.py", "engine/board.py", "engine/cards.py"
MOVING, DECLARE, WINDOWS = "engine/moving.py", "engine/declare.py", "engine/windows.py"
LEGAL, CHOICES, PLAY, MISSIONS, SCORING = (
    "engine/legal.py",
    "engine/legal.py",
    "engine/play.py",
    "engine/missions.py",
    "engine/scoring.py",
)
EFFECTS, STATEMENTS, TARGETS = "engine/effects.py", "engine/statements.py", "engine/conditions.py"
STARTING, PARAMETERS, DECK = "engine/stack.py", "parameters.py", "data/deck.toml"
CONDITIONS, PROGRAMS = "engine/conditions.py", "components/programs.py"
RULE_FOLDER = "tests/planet_hexx"  # where the tests below are
RULE_TESTS = ("test_rules_*.py",)


def hx(rule: int, file: str, old: str, new: str) -> Mutation:
    return Mutation(f"HX-{rule}", file, old, new, RULE_TESTS)


def hr(ruling: int, file: str, old: str, new: str) -> Mutation:
    return Mutation(f"HR-{ruling}", file, old, new, RULE_TESTS)


MUTATIONS = (
    # set-up
    hx(1, TURN, "s.file[j] = s.deck[j]", "s.file[j] = j"),
    hx(1, TURN, "if seat + 1 == s.num_players:", "if seat == 0:"),
    hx(1, "engine/constants.py", "MAX_PLAYERS = 4", "MAX_PLAYERS = 5"),
    hx(2, TURN, "t.missions[s.file[seat], side, p]", "t.missions[s.file[seat], 0, p]"),
    hx(3, TURN, "if total > highest:", "if total < highest or highest == 0:"),
    hx(3, TURN, "return first + 1 + below(s, 6)", "return first"),
    hr(2, TURN, "        tied = best\n", "        tied = best & -best\n"),
    hr(3, TURN, "lay(s, t, EAST, t.delta_colony, 0)", "lay(s, t, EAST, t.delta_colony, 1)"),
    hx(4, TURN, "lay(s, t, CENTRE, t.space_base, 0)", "lay(s, t, CENTRE - 1, t.space_base, 0)"),
    hx(5, TURN, "s.hex_data[EAST] = c.DELTA_DATA", "s.hex_data[EAST] = c.DELTA_DATA - 1"),
    hx(6, TURN, "s.store[j] = 0", "s.store[j] = 1"),
    hx(6, TURN, "s.ship[j] = CENTRE", "s.ship[j] = EAST"),
    hx(7, TURN, "    s.deck_size = n\n    shuffle(s, s.deck, n)", "    s.deck_size = n"),
    hx(7, TURN, "draw(s, t, j, t.hand_size)", "draw(s, t, j, 6)"),
    hr(24, TURN, "deal_files(s)\n    s.start_player = roll_for_start(s)", "s.start_player = roll_for_start(s)\n    deal_files(s)"),
    hr(24, TURN, "        for _ in range(t.copies[card]):", "        for _ in range(t.copies[t.kinds - 1 - card]):"),
    # turns
    hx(8, TURN, "s.actions_left = t.actions_per_turn", "s.actions_left = 3"),
    hx(8, COSTS, "    if s.gained[kind] > 0:\n", "    if s.gained[kind] > 0 and s.actions_left == 0:\n"),
    hx(8, TURN, "    s.actions_left = 0\n    for kind in range(c.ACTIONS):", "    for kind in range(c.ACTIONS):"),
    hx(8, COSTS, "        lost = min(count, int(s.gained[kind]))", "        lost = 0"),
    hx(8, LEGAL, "there = has_action(s, kind) if s.asked == c.MAIN", "there = True if s.asked == c.MAIN"),
    hx(9, TURN, "draw(s, t, seat, int(t.hand_size) - int(s.hand_size[seat]))", "draw(s, t, seat, 1)"),
    hx(9, TURN, "        if more > 0:\n", "        if more > 1:\n"),
    hx(9, TURN, "s.active = (s.active + 1) % s.num_players", "s.active = (s.active + s.num_players - 1) % s.num_players"),
    hx(9, TURN, "        s.banned[j] = 0\n", ""),
    hx(9, TURN, "        s.bonus[j] = 0\n", ""),
    hx(9, TURN, "    s.latest = c.NOTHING\n", ""),
    # Map
    hx(10, BOARD, "return s.hex[cell] == c.NOTHING and fits", "return fits"),
    hx(10, BOARD, "    if s.touches[cell] == 0:\n        return False\n    if placing == c.LOOSE:", "    if placing == c.LOOSE:"),
    hr(1, "engine/grid.py", "RADIUS = 8", "RADIUS = 9"),
    hx(11, BOARD, "return s.touches_space[cell] > 0 and (placing", "return (placing"),
    hx(11, BOARD, " or s.touches_plain[cell] == 0)", " or s.touches_plain[cell] < 9)"),
    hx(11, TARGETS, "placing == SOCIABLE or plain == 0", "placing == SOCIABLE or plain < 9"),
    hx(12, BOARD, "    if placing == c.LOOSE:\n        return True\n", "    if placing == c.LOOSE:\n        return s.touches_space[cell] > 0\n"),
    hx(13, BOARD, "s.hex_data[cell] = t.printed[card]", "s.hex_data[cell] = 0"),
    hx(14, DECLARE, "        lay(s, t, f.cell, card, f.turned)\n        enter(s, t, seat, f.cell)", "        lay(s, t, f.cell, card, f.turned)"),
    hx(14, EFFECTS, "    enter(s, t, int(f.seat), f.cell)\n", ""),
    hx(14, STARTING, "        f.hex = cell\n", ""),
    hx(15, TARGETS, "t.related[s.hex[here], s.hex[cell]] != 0", "t.related[s.hex[here], s.hex[cell]] == 0"),
    hx(15, CONDITIONS, "if s.hex[s.placed[i]] == card:", "if s.hex[s.placed[i]] > card:"),
    hx(55, BOARD, "(placing == c.SOCIABLE or s.touches", "(s.touches"),
    hx(55, BOARD, "    plain = t.placing[card] == c.PLAIN\n", "    plain = t.placing[card] != c.LOOSE\n"),
    hx(56, DECK, 'name = "A Lot of Nothing"\ntype = "space"\ncopies = 3', 'name = "A Lot of Nothing"\ntype = "space"\ncopies = 4'),
    # Move
    hx(16, MOVING, "f.roll += s.bonus[f.seat]", "f.roll += 0"),
    hx(16, MOVING, "s.rolled = max(int(f.roll), 0)", "s.rolled = max(int(f.roll), 1)"),
    hx(16, MOVING, "        open_window(s, t, c.ROLLED, f.seat)\n", ""),
    hr(5, MOVING, "f.roll = 1 + below(s, 6)", "f.roll = 2 + below(s, 6) + below(s, 6)"),
    hx(17, MOVING, "    f.left -= 1\n", ""),
    hx(17, PLAY, "        if action == c.PASS:\n            f.step = ENDING\n", "        if action == c.PASS:\n            f.left -= 1\n"),
    hx(18, MOVING, "        s.landed[f.seat] = cell\n        f.step = AT_PLANET\n", "        s.landed[f.seat] = cell\n"),
    hx(19, MOVING, "return not (s.landed[f.seat] == to and is_planet(s, t, to))", "return True"),
    hr(6, PLAY, "        s.ship[mover(f, t.code[f.pc, 3])] = action - c.TO_CELL\n", "        s.ship[mover(f, t.code[f.pc, 3])] = action - c.TO_CELL\n        s.landed[f.seat] = action - c.TO_CELL\n"),
    hr(6, BOARD, "        if s.landed[j] == cell:\n            s.landed[j] = to", "        if s.landed[j] == cell:\n            s.landed[j] = c.NOWHERE"),
    hr(6, BOARD, "    forget_landing(s, cell)\n", ""),
    hx(20, MOVING, "s.walls[here] >> d & 1 or ", ""),
    hx(20, MOVING, " or s.walls[to] >> ((d + 3) % 6) & 1", ""),
    hx(20, BOARD, "((walls << turned) | (walls >> (EDGES - turned)))", "((walls >> turned) | (walls << (EDGES - turned)))"),
    hx(20, MOVING, "if f.roll < t.leave_roll[s.hex[here]] or", "if f.roll <= t.leave_roll[s.hex[here]] or"),
    hx(20, MOVING, " or not allows(s, t, t.enter_if, s.hex[to], f.seat, 0):", ":"),
    hx(17, MOVING, "    elif t.must_stop[s.hex[cell]]:\n        f.step = ENDING\n", ""),
    hx(10, PARAMETERS, "bool(card.walls) and not card.fixed", "bool(card.walls)"),
    hx(20, COSTS, "s.banned[seat] | t.start_ban[s.hex[s.ship[seat]]]", "s.banned[seat]"),
    hx(21, MOVING, "if to < 0 or s.hex[to] == c.NOTHING:", "if to < 0:"),
    hx(22, BOARD, "        if s.ship[j] == cell:\n            s.ship[j] = to\n", ""),
    hx(22, EFFECTS, "        if s.ship[j] == f.hex:\n            s.ship[j] = cell\n", ""),
    hx(23, MOVING, "    return ask(s, c.COLLECT, f.seat)\n", "    collect_from(s, int(f.seat), int(f.cell), 1)\n    return False\n"),
    hx(23, PLAY, "    elif action > c.TO_NUMBER:\n        collect", "    else:\n        collect"),
    hx(24, MOVING, "min(max(count + int(s.collect_bonus[seat]), 0), int(s.hex_data[cell]))", "max(count + int(s.collect_bonus[seat]), 0)"),
    hr(33, MOVING, "max(count + int(s.collect_bonus[seat]), 0)", "max(count, 0)"),
    hr(33, MOVING, "max(count + int(s.collect_bonus[seat]), 0)", "(count + int(s.collect_bonus[seat]))"),
    hr(33, PLAY, "f.cell, 1 + int(f.more))", "f.cell, 1)"),
    hr(33, MOVING, "f.seat, f.cell, int(f.more))", "f.seat, f.cell, 0)"),
    hr(33, LEGAL, "1 + int(f.more)) > 0", "1) > 0"),
    hr(33, TURN, "        s.collect_bonus[j] = 0\n", ""),
    hx(25, STARTING, "(s.hex_data[cell] > 0 or t.relies[card] & bit == 0)", "True"),
    hr(26, STARTING, "(s.hex_data[cell] > 0 or t.relies[card] & bit == 0)", "(s.hex_data[cell] > 0)"),
    hr(26, PARAMETERS, '    if card.type == "planet":\n        relying', '    if True:\n        relying'),
    hr(26, MOVING, "happens(s, t, t.on_stop, f.cell, STOP_BIT)", "happens(s, t, t.on_stop, f.cell, 0)"),
    hr(26, DECLARE, "happens(s, t, t.on_start, cell, START_BIT)", "happens(s, t, t.on_start, cell, 0)"),
    hx(26, MOVING, "    if s.ship[f.seat] != f.cell or not", "    if f.seat != s.active or s.ship[f.seat] != f.cell or not"),
    hx(27, PLAY, "        s.ship[mover(f, t.code[f.pc, 3])] = action - c.TO_CELL\n", "        s.ship[mover(f, t.code[f.pc, 3])] = action - c.TO_CELL\n        s.store[f.seat] += min(1, int(s.hex_data[action - c.TO_CELL]))\n"),
    hx(32, MOVING, "    if f.taken > 0 and s.ship[f.seat] == f.cell:", "    if True:"),
    hr(25, MOVING, "    if s.ship[f.seat] != f.cell or not is_planet(s, t, f.cell):", "    if not is_planet(s, t, f.cell):"),
    hr(25, MOVING, "if s.ship[f.seat] == f.cell and happens", "if happens"),
    hr(25, MOVING, "        open_window(s, t, c.LANDED, f.seat)\n", ""),
    hx(28, STATEMENTS, "    count = min(count, int(s.store[seat]))\n    s.store", "    s.store"),
    hx(28, STATEMENTS, "s.store[seat] = min(c.MOST_DATA, max(0, int", "s.store[seat] = min(c.MOST_DATA, abs(int"),
    hx(29, STATEMENTS, "s.hex_data[cell] = min(c.MOST_DATA, max(0, int", "s.hex_data[cell] = min(c.MOST_DATA, abs(int"),
    hr(7, STATEMENTS, "s.hex_data[cell] = min(c.MOST_DATA, max", "s.hex_data[cell] = min(50, max"),
    hr(7, STATEMENTS, "s.store[seat] = min(c.MOST_DATA, max", "s.store[seat] = min(50, max"),
    # icons
    hx(30, MOVING, "== c.NOTHING or t.may_collect[card]:", "== c.NOTHING or not t.may_collect[card]:"),
    hx(30, LEGAL, "        return happens(s, t, t.on_collect, f.cell, COLLECT_BIT)\n", "        return False\n"),
    hx(31, MOVING, "f.came != c.NOTHING and f.came != d and t", "f.came != c.NOTHING and t"),
    hx(31, MOVING, "f.came != c.NOTHING and f.came != d and t", "f.came != d and t"),
    hx(31, MOVING, "s.ship[f.seat] == f.cell and can_step(s, t, f, int(f.turned))", "can_step(s, t, f, int(f.turned))"),
    hx(31, MOVING, "s.ship[f.seat] == f.cell and can_step(s, t, f, int(f.turned))", "s.ship[f.seat] == f.cell"),
    hx(32, MOVING, "    if f.taken > 0 and s", "    if s"),
    hx(32, MOVING, "    f.step = ENDED\n    if f.taken > 0", "    f.step = ENDED\n    if f.taken > 1"),
    hx(33, DECLARE, "    if happens(s, t, t.on_start, cell, START_BIT):", "    if f.seat == s.active and happens(s, t, t.on_start, cell, START_BIT):"),
    hx(33, DECLARE, "    if happens(s, t, t.on_start, cell, START_BIT):", "    if s.begun < 2 and happens(s, t, t.on_start, cell, START_BIT):"),
    hr(8, WINDOWS, "        step = START\n", ""),
    hr(8, WINDOWS, "    step = CHOOSE\n    if", "    step = START\n    if"),
    hx(34, PLAY, "    if action == c.YES:\n        next_statement(f)\n", "    if True:\n        next_statement(f)\n"),
    hr(34, EFFECTS, "        s.once[f.seat] |= 1 << t.code[f.pc, 2]\n", ""),
    hr(34, EFFECTS, "s.once[f.seat] >> t.code", "s.once[s.active] >> t.code"),
    hr(34, TURN, "        s.once[j] = 0\n", ""),
    hr(34, PROGRAMS, 'if len(effect) == 1 and effect[0][0] == "may":', "if False:"),
    # Upload and Refresh
    hx(35, DECLARE, "here = t.type[s.hex[s.ship[seat]]] == c.SPACE", "here = True"),
    hx(35, PARAMETERS, '(("expend", rules.upload_cost),)', '(("expend", 3),)'),
    hx(36, MISSIONS, "        if s.points[seat, p] == t.type[card] and s", "        if s"),
    hx(36, MISSIONS, "    for p in range(POINTS):\n        if s.points", "    for p in range(POINTS - 1, -1, -1):\n        if s.points"),
    hx(37, DECLARE, "        upload(s, t, seat, card)\n", "        upload(s, t, seat, card)\n        to_discard(s, card)\n"),
    hx(38, CHOICES, "return is_type(t, card, t.code[f.pc, 3]) and open_point", "return open_point"),
    hx(38, EFFECTS, "    next_statement(f)\n    if action != c.PASS:\n        seat", "    next_statement(f)\n    if action != c.PASS and t.type[s.hex[s.ship[f.seat]]] == 4:\n        seat"),
    hx(39, DECLARE, "anywhere = row != NORMAL_UPLOAD and t.alt", "anywhere = t.alt"),
    hx(39, DECLARE, "and t.alt_anywhere[card] != 0", "and t.alt_anywhere[card] == 0"),
    hx(39, DECLARE, "t.alt_cost[card] if action >= c.TO_ALT else NORMAL_UPLOAD", "NORMAL_UPLOAD"),
    hx(40, DECLARE, "        to_discard(s, card)\n        draw(s, t, seat, 1)", "        draw(s, t, seat, 1)\n        to_discard(s, card)"),
    hx(40, DECLARE, "        draw(s, t, seat, 1)\n", ""),
    # Events
    hx(41, DECLARE, "        f.gone = 1\n        to_discard(s, f.card)\n    pop(s)", "        f.gone = 1\n    pop(s)"),
    hx(42, DECLARE, "t.branches[f.card] > 1:", "t.branches[f.card] > 9:"),
    hx(43, COSTS, "    if s.store[seat] < cost.expend:\n        return False\n", ""),
    hx(43, COSTS, "actions_of(s, seat) - spending < cost.actions", "actions_of(s, seat) < cost.actions"),
    hx(43, COSTS, "count_in_hand(s, t, seat, ANY_TYPE, slot) < cost.discards", "count_in_hand(s, t, seat, ANY_TYPE, -1) < cost.discards"),
    hx(43, COSTS, "if cost.cards[wanted] > 0 and", "if cost.cards[wanted] > 9 and"),
    hx(43, PARAMETERS, "entry.expend += number", "entry.expend = number"),
    hx(43, DECLARE, "    code = t.costs[cost_of(t, f)].code\n", "    code = t.costs[cost_of(t, f)].code\n    if f.mode == c.COPY:\n        return\n"),
    hr(4, DECLARE, "if f.cancelled or (", "if ("),
    hr(4, DECLARE, "(f.mode <= c.EVENT and is_banned(s, t, seat, f.mode))", "False"),
    hr(4, DECLARE, "int(f.card), 1, f.epoch)", "int(f.card), 0, f.epoch)"),
    hr(4, DECLARE, "int(f.card), 1, f.epoch)", "int(f.card), 1, s.shuffles)"),
    hr(4, DECLARE, "if s.hand_size[f.seat] < c.HAND:", "if s.hand_size[f.seat] < c.HAND + 1:"),
    hr(4, DECLARE, "return not may_lay(s, t.placing[f.card], f.cell)", "return False"),
    hr(4, DECLARE, "if f.mode == c.UPLOAD and not can_upload_here(s, t, seat, f.card, f.branch):\n        return True\n", "if f.mode == c.UPLOAD and False:\n        return True\n"),
    hr(4, DECLARE, "    return not can_pay(s, t, seat, cost_of(t, f), c.NOTHING, 0)\n", "    return False\n"),
    # Surprises and windows
    hx(44, WINDOWS, "    return s.surprised[seat] == 0\n", "    return True\n"),
    hx(44, WINDOWS, "if t.answers[card] >> name & 1 == 0 or", "if t.answers[card] == 0 or"),
    hx(44, TURN, "        s.surprised[j] = 0\n", ""),
    hx(44, WINDOWS, "return can_pay(s, t, seat, t.cost[card], slot, seat == s.active)", "return True"),
    hx(45, LEGAL, "kinds >> c.EVENT & 1 == 0 or not t.own_turn[card] or", "kinds >> c.EVENT & 1 == 0 or"),
    hx(45, LEGAL, " or (t.answers[card] != 0 and seat != s.active):", ":"),
    hx(45, PARAMETERS, "t.own_turn[kind] = card.surprise.own_turn", "t.own_turn[kind] = 0"),
    hx(46, LEGAL, "(only == kind or only == c.ANY)", "True"),
    hx(46, LEGAL, "(only == kind or only == c.ANY)", "(only == kind)"),
    hx(46, EFFECTS, "    if f.queue == 0:\n", "    if f.queue >= 0:\n"),
    hx(46, COSTS, "    if seat != s.active:\n        return 0\n", ""),
    hx(46, STATEMENTS, "    if owner == s.active:\n", "    if owner >= 0:\n"),
    hx(47, WINDOWS, "return f.mode == c.SURPRISED and has_action(s, c.EVENT)", "return False"),
    hx(47, WINDOWS, "return f.mode == c.SURPRISED and has_action(s, c.EVENT)", "return f.mode == c.SURPRISED"),
    hx(47, WINDOWS, "        begin_action(s, seat, c.EVENT)\n", ""),
    hr(12, WINDOWS, "for k in range(1, n + 1):", "for k in range(n, 0, -1):"),
    hr(12, WINDOWS, "        f.taken |= 1 << seat\n", "        f.taken = 1 << seat\n"),
    hr(12, WINDOWS, "    window = s.depth - 1\n", "    window = s.depth - 1\n    f.taken = 0\n"),
    hr(12, WINDOWS, "if seat == f.seat or f.taken", "if f.taken"),
    hr(17, WINDOWS, "if seat == f.seat or f.taken >> seat & 1:\n        return False\n    if seat == s.active:  # HX-47\n        return f.mode == c.SURPRISED and has_action(s, c.EVENT)\n    return s.surprised[seat] == 0\n", "if seat == s.active or f.taken >> seat & 1:\n        return False\n    return True\n"),
    hr(13, WINDOWS, "    if t.always_ask:\n", "    if t.always_ask and s.hand_size[seat] > 0:\n"),
    hr(13, PLAY, "        if s.asked == c.WINDOW and t.always_ask:\n            break\n", ""),
    hr(14, PLAY, "        if next_legal(s, t, kinds, first + 1) != c.NOTHING:\n            break\n", "        break\n"),
    hr(19, MOVING, "        if f.left > 0:\n", "        if f.left > 0 and s.banned[f.seat] == 0:\n"),
    hr(18, TARGETS, "int(s.active) if who == codes.ACTIVE", "int(s.player) if who == codes.ACTIVE"),
    # rolls and copies
    hx(49, EFFECTS, "f.roll = min(6, max(1, int(s.rolled)))", "f.roll = max(1, int(s.rolled))"),
    hx(49, EFFECTS, "f.roll = min(6, max(1, int(s.rolled)))", "f.roll = min(6, int(s.rolled))"),
    hx(50, EFFECTS, "s.stack[f.home].before if s.stack[f.home].mode == c.EVENT else s.latest", "s.latest"),
    hx(50, EFFECTS, "card == c.NOTHING or t.copies_event[card] or", "card == c.NOTHING or"),
    hx(50, EFFECTS, "    if can_pay(s, t, f.seat, t.cost[card], c.NOTHING, 0):\n        g", "    if True:\n        g"),
    hx(50, DECLARE, "        f.before = s.latest\n        s.latest = f.card\n", "        f.before = s.latest\n    if f.mode == c.EVENT or f.mode == c.SURPRISE:\n        s.latest = f.card\n"),
    hx(50, DECLARE, "home = f.home if f.mode == c.COPY else s.depth - 1", "home = s.depth - 1"),
    hr(31, EFFECTS, "or not may_copy(s, t, f, card):", "or False:"),
    hr(31, EFFECTS, "    if not allows(s, t, t.only_if, card, f.seat, 0):\n        return False\n", ""),
    hr(31, EFFECTS, "(t.own_turn[card] and f.seat == s.active)", "t.own_turn[card]"),
    hr(31, EFFECTS, "    return f.about != c.NOTHING and t.answers[card]", "    return f.about == 99 and t.answers[card]"),
    hr(31, LEGAL, "    if not allows(s, t, t.only_if, card, seat, 1):\n        return False\n", ""),
    hr(31, CONDITIONS, "s.begun + declaring == 1", "s.begun + declaring <= 2"),
    hr(31, CONDITIONS, "actions_of(s, seat) == declaring", "actions_of(s, seat) >= declaring"),
    hr(30, STATEMENTS, "        s.latest = declared.before\n", "        pass\n"),
    hr(30, STATEMENTS, " and not t.copy_cancelled:", ":"),
    hr(27, MISSIONS, "    s.store[seat] -= t.immediate_upload_cost\n", ""),
    hr(27, CHOICES, "    if s.store[seat] < t.immediate_upload_cost:  # HR-27\n        return False\n", ""),
    hr(27, STATEMENTS, " and s.store[f.seat] >= t.immediate_upload_cost:", ":"),
    hr(28, TARGETS, "(deed != codes.TO_CARRY or not t.movable_bases)", "True"),
    hr(28, TARGETS, "(deed != codes.TO_CARRY or not t.movable_bases)", "not t.movable_bases"),
    hr(29, TARGETS, "t.split_board != 0 or ", ""),
    hr(29, TARGETS, "    if deed == codes.TO_GO and s.touches[cell] == 0 and ships_on(s, cell) > 0:\n        return False\n", ""),
    hr(35, MISSIONS, "    open_window(s, t, UPLOADED, seat)\n    begin_uploaded(s, t.on_upload[card], seat, card)\n", "    begin_uploaded(s, t.on_upload[card], seat, card)\n    open_window(s, t, UPLOADED, seat)\n"),
    hr(35, TURN, "            begin_uploaded(s, t.on_turn[card], seat, card)\n", "            pass\n"),
    hr(35, TURN, "point = s.phase - c.BEGINNING", "point = 6 - s.phase"),
    hr(32, WINDOWS, "if t.windows >> name & 1 and has_room(s):", "if has_room(s):"),
    hr(32, TURN, "            open_window(s, t, c.TURN_BEGINS, seat)\n", "            pass\n"),
    hr(32, TURN, "        open_window(s, t, c.TURN_ENDS, seat)\n", ""),
    hr(32, MOVING, "        open_window(s, t, c.STOPPED, f.seat)\n", ""),
    hx(13, STATEMENTS, "return int(t.printed[card]) if card != c.NOTHING else 0", "return int(s.hex_data[s.ship[f.seat]])"),
    hx(13, TARGETS, "data = t.printed[card] if t.code[f.pc, 6] else", "data = s.hex_data[cell] if t.code[f.pc, 6] else"),
    hx(13, CONDITIONS, "t.printed[s.hex[here]] >= number", "s.hex_data[here] >= number"),
    hr(20, STARTING, "        f.hex = cell\n", "        f.hex = cell\n        s.latest = card\n"),
    hr(21, DECLARE, "        f.card = take_from_hand(s, seat, slot)\n", "        f.card = take_from_hand(s, seat, slot)\n        if mode == c.EVENT:\n            s.discard[f.card] += 1\n            f.gone = 1\n"),
    hr(22, STATEMENTS, "count = min(count, c.MOST_GAINED - int(s.gained_ever[owner]))", "count = int(count)"),
    hr(23, STATEMENTS, "min(c.MOST_COUNTERS, int(s.counters[seat]) + number)", "int(s.counters[seat]) + number"),
    # cards
    hx(51, CARDS, "    if s.deck_size == 0 and s.discard_size > 0:\n", "    if s.deck_size < 0:\n"),
    hx(51, CARDS, "    shuffle(s, s.deck, n)\n", ""),
    hx(51, CARDS, "        s.discard[card] = 0\n", ""),
    hx(52, CHOICES, "s.discard[card] > 0 and is_type(t, card, t.code[f.pc, 3])", "s.discard[card] > 0"),
    hr(9, CARDS, "if s.hand_size[seat] == HAND:", "if s.hand_size[seat] == HAND - 1:"),
    hr(9, CHOICES, "return card < t.kinds and not full and", "return card < t.kinds and"),
    hr(10, CARDS, "put_in_hand(s, seat, card, known, s.shuffles)", "put_in_hand(s, seat, card, known, 0)"),
    hr(15, CARDS, "while i > 0 and s.hand[seat, i - 1] > card:", "while i > 0 and s.hand[seat, i - 1] >= card:"),
    # the end
    hx(53, MISSIONS, "== POINTS and not t.equal_turns:", "== POINTS - 1 and not t.equal_turns:"),
    hx(53, MISSIONS, "        s.won[seat] = 1\n", "        s.won[s.active] = 1\n"),
    hx(54, MISSIONS, "== POINTS and not t.equal_turns:", "== POINTS:"),
    hx(54, MISSIONS, "most = max(most, int(s.store[j]))", "most = max(most, -int(s.store[j]))"),
    hx(54, MISSIONS, "s.won[j] = uploads(s, j) == POINTS and s.store[j] == most", "s.won[j] = s.store[j] == most"),
    hx(54, TURN, "if s.active == s.start_player:", "if True:"),
    hr(11, MISSIONS, "if s.turn >= t.max_turns * s.num_players:", "if s.turn > t.max_turns * s.num_players:"),
    hr(11, MISSIONS, "        s.over = TRUNCATED\n", "        s.over = FINISHED\n"),
    hr(16, PLAY, "    while s.over == RUNNING:\n", "    while s.over == RUNNING or s.depth > 1:\n"),
)  # fmt: skip

# In the name of a test an id is followed by more.
TABLE = Table(
    GAME, RULE_FOLDER, lambda rule: rule.lower().replace("-", "") + "_", (*MUTATIONS, *STATEMENTS_BROKEN)
)

if __name__ == "__main__":
    sys.exit(TABLE.main())
