"""HX-48 broken in one statement of the language of effects, or one word of it, at a time (see break_rules.py)."""

from __future__ import annotations

from tests.support.breaking import Mutation

EFFECTS, STATEMENTS, TARGETS = "engine/effects.py", "engine/statements.py", "engine/conditions.py"
CARDS, CHOICES, PLAY = "engine/cards.py", "engine/legal.py", "engine/play.py"
CONDITIONS, PROGRAMS = "engine/conditions.py", "components/programs.py"
BOARD, MISSIONS = "engine/board.py", "engine/missions.py"
TESTS = ("test_rules_*.py",)


def m(file: str, old: str, new: str) -> Mutation:
    return Mutation("HX-48", file, old, new, TESTS)


STATEMENTS_BROKEN = (
    # Data
    m(STATEMENTS, "        change_store(s, seat, number)\n", "        change_store(s, seat, 1)\n"),  # add
    m(STATEMENTS, "        change_store(s, seat, -number)\n", "        change_store(s, seat, -1)\n"),  # expend
    m(STATEMENTS, "    change_store(s, owner, count)\n", ""),  # take
    m(STATEMENTS, "        collect_from(s, int(f.seat), cell, number + int(f.more))\n", "        change_planet(s, cell, -number)\n"),
    m(STATEMENTS, "change_planet(s, cell, number if op == codes.PLANET_ADD else -number)", "change_planet(s, cell, -number)"),
    m(STATEMENTS, "change_planet(s, cell, number if op == codes.PLANET_ADD else -number)", "change_planet(s, cell, number)"),
    m(STATEMENTS, "number if op == codes.PLANETS_ADD else -number", "-number"),
    m(STATEMENTS, "number if op == codes.PLANETS_ADD else -number", "number"),
    m(STATEMENTS, "if op == codes.COLLECT_OP or f.hex == c.NOTHING else f.hex", "if f.hex == c.NOTHING else f.hex"),
    m(STATEMENTS, "if op == codes.COLLECT_OP or f.hex == c.NOTHING else f.hex", "if True else f.hex"),
    # cards
    m(STATEMENTS, "        draw(s, t, seat, number)\n", "        draw(s, t, seat, number - 1)\n"),
    m(EFFECTS, "begin_discards(s, seat, amount(s, t, f, t.code[f.pc, 1]), t", "begin_discards(s, seat, 1, t"),
    m(EFFECTS, "t.code[f.pc, 1]), t.code[f.pc, 3])", "t.code[f.pc, 1]), 5)"),  # of any type
    m(STATEMENTS, "            discard_at_random(s, seat)\n", "            discard_slot(s, seat, 0)\n"),
    m(CARDS, "discard_slot(s, seat, below(s, int(s.hand_size[seat])))", "discard_slot(s, seat, 0)"),
    m(STATEMENTS, "        dump(s, t, number)\n", "        dump(s, t, 1)\n"),
    m(CARDS, "            return\n        s.deck_known -= s.deck_known > 0\n", "            return\n"),
    m(STATEMENTS, "        show_hand(s, seat)\n", "        show_hand(s, int(f.seat))\n"),
    m(CARDS, "max(int(s.deck_known), min(count, int(s.deck_size)))", "min(count, int(s.deck_size))"),
    m(CARDS, "max(int(s.deck_known), min(count, int(s.deck_size)))", "max(int(s.deck_known), count)"),
    m(CARDS, "        known = s.deck_known > 0\n", "        known = 0\n"),
    m(EFFECTS, "put_in_hand(s, f.seat, card, 1, s.shuffles)", "put_in_hand(s, f.seat, card, 0, s.shuffles)"),
    m(EFFECTS, "put_in_hand(s, f.seat, card, 1, s.shuffles)", "put_in_hand(s, f.seat, card, 1, 0)"),
    # Actions
    m(STATEMENTS, "            s.actions_left += count\n", "            s.actions_left += 1\n"),
    m(STATEMENTS, "            s.gained[kind] += count\n", "            s.gained[kind] += 1\n"),
    m(STATEMENTS, "        lose_actions(s, seat, number)\n", "        lose_actions(s, seat, 1)\n"),
    m(STATEMENTS, "s.banned[seat] |= 1 << number", "s.banned[seat] = 1 << (number ^ 1)"),
    m(STATEMENTS, "s.banned[seat] |= 1 << number", "s.banned[f.seat] |= 1 << number"),
    # dice
    m(STATEMENTS, "        return int(f.roll)\n", "        return 1\n"),
    m(STATEMENTS, "return int(s.counters[f.target]) if", "return 1 if"),
    m(STATEMENTS, "        s.stack[f.about - 1].roll += by\n", "        s.stack[f.about - 1].roll = by\n"),
    m(STATEMENTS, "        s.bonus[f.seat] += by\n", "        s.bonus[f.seat] = by\n"),
    m(STATEMENTS, "            s.stack[f.about - 1].roll = 1 + below(s, 6)\n", "            s.stack[f.about - 1].roll += 1 + below(s, 6)\n"),
    m(STATEMENTS, "f.about != c.NOTHING and s.stack[f.about].mode == c.ROLLED", "f.about != c.NOTHING"),
    m(STATEMENTS, "    declared.cancelled = 1\n", ""),
    m(EFFECTS, "t.code[f.pc, 2] <= f.roll <= t.code[f.pc, 3]", "t.code[f.pc, 2] < f.roll <= t.code[f.pc, 3]"),
    m(EFFECTS, "t.code[f.pc, 2] <= f.roll <= t.code[f.pc, 3]", "t.code[f.pc, 2] <= f.roll < t.code[f.pc, 3]"),
    # ships
    m(EFFECTS, "        begin_move(s, f.seat, steps)\n", "        begin_move(s, f.seat, steps - 1)\n"),
    m(TARGETS, "return int(f.target) if who == codes.TARGET else int(f.seat)", "return int(f.seat)"),
    m(TARGETS, "t.code[f.pc, 2], s.ship[seat])", "t.code[f.pc, 2], s.ship[f.seat])"),
    m(TARGETS, "or s.hex[cell] == NOTHING or s.ship[seat] == cell:", "or s.hex[cell] == NOTHING:"),
    # who and what
    m(TARGETS, "(int(f.seat) + i) % n if i < n else NOBODY", "i if i < n else NOBODY"),
    m(TARGETS, "(int(f.seat) + 1 + i) % n if i < n - 1 else NOBODY", "(int(f.seat) + n - 1 - i) % n if i < n - 1 else NOBODY"),
    m(TARGETS, "        return seat != f.seat\n", "        return True\n"),
    m(TARGETS, "return int(s.active) if who == codes.ACTIVE else int(f.target)", "return int(s.active)"),
    m(TARGETS, "        return t.walls[s.hex[cell]] != 0\n", "        return True\n"),
    m(TARGETS, "return is_planet(s, t, cell) if what == codes.A_PLANET else t.type[s.hex[cell]] == SPACE", "return is_planet(s, t, cell)"),
    m(TARGETS, "        return cell != here\n    if where == codes.ADJACENT:", "        return True\n    if where == codes.ADJACENT:"),
    m(TARGETS, "        return next_to(cell, here)\n    return where", "        return True\n    return where"),
    m(TARGETS, "where != codes.LINKED or (cell != here and t", "where != codes.LINKED or (t"),
    m(TARGETS, "if data < t.code[f.pc, 3] or", "if"),
    m(TARGETS, " or data > t.code[f.pc, 4]:", ":"),
    m(PLAY, "f.target = (seat + action - c.TO_SEAT) % int(s.num_players)", "f.target = (action - c.TO_SEAT) % int(s.num_players)"),
    # hexes
    m(PLAY, "        go_to(f, NO_CODE)\n", "        next_statement(f)\n"),  # no target hex ends the effect
    m(TARGETS, "(card == t.space_base or card == t.delta_colony)", "card == t.space_base"),
    m(TARGETS, " or not is_bridge(s, cell)\n", " or deed == codes.TO_GO or not is_bridge(s, cell)\n"),
    m(TARGETS, "    if deed == codes.TO_CARRY and not can_be_carried(s, t, cell):\n        return False\n", ""),
    m(BOARD, "    apart = False\n", "    apart = True\n"),  # a ring hangs together
    m(BOARD, "new |= above | above >> 1", "new |= above"),
    m(TARGETS, "return s.hex[cell] != NOTHING and next_to(f.hex, cell)", "return s.hex[cell] != NOTHING"),
    m(CHOICES, "return action - c.TO_TURN != s.turned[f.hex]", "return True"),
    m(EFFECTS, "    turn_hex(s, t, f.hex, turned)\n", ""),
    m(EFFECTS, "    carry(s, t, f.hex, cell)\n    f.hex = cell\n", "    carry(s, t, f.hex, cell)\n"),
    m(BOARD, "    s.hex_data[to] = data\n", ""),
    m(BOARD, "    lay(s, t, to, card, turned)\n", "    lay(s, t, to, card, 0)\n"),
    m(TARGETS, "    if s.touches[to] < 2:\n        return False\n", ""),
    m(CHOICES, "return c.LOOSE if t.code[f.pc, 1] else int(t.placing[f.held])", "return int(t.placing[f.held])"),
    m(CHOICES, "return c.LOOSE if t.code[f.pc, 1] else int(t.placing[f.held])", "return c.LOOSE"),
    m(CHOICES, "        return fits(s, placing, f.hex)\n", "        return True\n"),
    m(EFFECTS, "        remove(s, t, f.cell)\n    card", "        lift(s, t, f.cell)\n    card"),
    m(EFFECTS, "    f.step = HOW if t.turns[f.held] else LAY\n", "    f.step = LAY\n"),
    # Mission Files
    m(STATEMENTS, "        s.stack[f.home].gone = 1\n        upload", "        upload"),
    m(CHOICES, " and names_seat(s, f, t.code[f.pc, 2], other)", ""),
    m(PLAY, "other = (seat + number // c.POINTS) % int(s.num_players)", "other = number // c.POINTS"),
    m(PLAY, "    to_discard(s, s.filled[other, number % c.POINTS])\n", ""),
    # conditions
    m(CONDITIONS, "        return s.store[seat] >= number\n", "        return s.store[seat] > number\n"),
    m(CONDITIONS, "s.store[target] >= number", "s.store[target] > number"),
    m(CONDITIONS, "s.hex_data[here] >= number", "s.hex_data[here] > number"),
    m(CONDITIONS, "        return is_what(s, t, here, number)\n", "        return True\n"),
    m(CONDITIONS, "return s.deck_known > 0 and t.type", "return t.type"),
    m(CONDITIONS, "t.type[s.deck[s.deck_size - 1]] == number", "t.type[s.deck[0]] == number"),
    m(PLAY, "    if action == c.YES:\n        next_statement(f)\n", "    if action != c.YES:\n        next_statement(f)\n"),
    # how the tree of an effect becomes a program
    m(PROGRAMS, "        self._effect(rest[\"else\"])\n", ""),
    m(PROGRAMS, "            self._effect(effect)\n            done.append(self._jump(\"jump\"))\n", "            self._effect(effect)\n"),
    m(PROGRAMS, "        if given[0] == \"target_hex\":\n            return codes.TO_STAY\n", ""),
    m(PROGRAMS, "            inner = list(given[2:])\n", "            inner = []\n"),
    m(PROGRAMS, "            inner = [effect for _, _, effect in inner]\n", "            inner = []\n"),
)  # fmt: skip
