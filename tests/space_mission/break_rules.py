"""Breaks rules in a copy of the code to check that the tests notice.

    python -m tests.space_mission.break_rules              ten mutations at random
    python -m tests.space_mission.break_rules --all        all (minutes)
    python -m tests.space_mission.break_rules --list

See tests/support/breaking.py for the method.
"""

import sys

from tests.support.breaking import Mutation, Table

RULES, LEGAL, KEPT = "engine/rules.py", "engine/legal.py", "engine/card_memory.py"
GAME = "spacemission_env/games/space_mission"  # where the files below are
SCORING, SAMPLING = "engine/scoring.py", "engine/determinize.py"
OBSERVE = "engine/observe.py"
CORE_OPTIONS = "../../core/rules_options.py"
KNOWLEDGE = "engine/knowledge.py"
RULE_FOLDER = "tests/space_mission"  # where the tests below are
RULE_TESTS = ("test_rules_*.py", "test_rules.py")
MEMORY_TESTS = ("test_memory.py", "test_rules.py")
EVEN_TESTS = ("test_enumerated_worlds.py", "test_even_worlds.py")


def m(rule: int, file: str, old: str, new: str) -> Mutation:
    return Mutation(f"SM-{rule:02}", file, old, new, RULE_TESTS)


def memory(file: str, old: str, new: str) -> Mutation:
    return Mutation("SM-74", file, old, new, MEMORY_TESTS)


def even(file: str, old: str, new: str) -> Mutation:
    return Mutation("SM-75", file, old, new, EVEN_TESTS, True)


# fmt: off
MUTATIONS = (
    # set-up
    m(1, RULES, "s.supply[j] = t.chips_per_player if", "s.supply[j] = t.chips_per_player - 1 if"),
    m(1, "options.py", "chips_per_player: int = 20", "chips_per_player: int = 21"),
    m(2, RULES, "n = below(s, t.planet_count - p)", "n = below(s, t.ring_size - p)"),
    m(2, RULES, "n = below(s, t.planet_count - p)", "n = 0"),
    m(3, RULES, "n = below(s, free)", "n = 0"),
    m(3, RULES, "n = below(s, free)", "n = below(s, (free + 1) // 2)"),
    m(4, "data/default.toml", "alien_brown = 5\nalien_blue = 5", "alien_brown = 6\nalien_blue = 4"),
    m(5, RULES, "s.ship[j] = c.NOWHERE", "s.ship[j] = 0"),
    m(6, RULES, "shuffle(s, s.draw, t.card_count)", "pass"),
    m(6, RULES, "range(min(t.hand_size, s.draw_size))", "range(t.hand_size - 1)"),
    m(7, RULES, "drawn = below(s, num_players)", "drawn = 0"),
    m(7, RULES, "s.start_player = drawn if t.start_player == c.NOWHERE else t.start_player",
      "s.start_player = drawn"),
    m(7, "setup.py", "check_setup_start(setup[\"start_player\"], agreed,",
      "check_setup_start(setup[\"start_player\"], c.NOWHERE,"),
    m(7, CORE_OPTIONS, "check_start(getattr(self, START, RANDOM), num_players)",
      "check_start(0, num_players)"),
    m(7, RULES, "following = (s.player + 1) %", "following = (s.player + s.num_players - 1) %"),
    # cards and planets
    m(10, LEGAL, "(coordinate >> number & 1) != 0", "coordinate == 1 << number"),
    m(10, "components/parts.py", "JOKER_MASK if JOKER in values else ", ""),
    m(10, LEGAL, "matches(t.card_scan[s", "matches(t.card_jump[s"),
    m(11, "components/parameters.py", "[i] = planet.landing", "[i] = planet.landing[0]"),
    m(12, "components/load.py", "if count != 2:", "if count < 2:"),
    m(12, "data/default.toml", '"J1S1",', '"J1S2",'),
    # the turn
    m(20, RULES, "s.player = following\n    s.actions_left = t",
      "s.player = following\n    s.actions_left = 1 + t"),
    m(20, RULES, "if action >= c.TAKE:\n",
      "if action >= c.TAKE:\n        s.actions_left = max(0, s.actions_left - 1)\n"),
    m(21, RULES, "for _ in range(t.hand_size - s.hand_size[seat]):", "for _ in range(1):"),
    m(21, RULES, "top_up(s, t, action, order)", "top_up(s, t, 0, order)"),
    m(22, LEGAL, "for bits in range(1 << size):", "for bits in range(1, 1 << size):"),
    m(22, LEGAL, "mask[c.TOP_UP] = 0", "mask[c.TOP_UP] = 1"),
    m(22, LEGAL, "t.empty_top_up == 0 and size == t.hand_size", "t.empty_top_up == 0"),
    m(22, LEGAL, "t.empty_top_up == 0 and size == t.hand_size", "t.empty_top_up == 0 and size == 5"),
    m(22, "options.py", "empty_top_up: bool = True", "empty_top_up: bool = False"),
    m(23, RULES, "if s.draw_size == 0 and s.discard_size > 0:  # SM-23", "if s.draw_size < 0:  # SM-23"),
    m(23, RULES, "if s.draw_size == 0 and s.discard_size > 0:\n", "if s.draw_size < 0:\n"),
    m(23, RULES, "shuffle(s, s.draw, count)", "pass"),
    # jump and fly
    m(24, RULES, "s.gate[seat] += 1\n    s.ship", "s.ship"),
    m(24, LEGAL, "p] = p != here and matches", "p] = matches"),
    m(24, LEGAL, "matches(t.card_jump[s.hand[seat, i]], number)", "t.card_jump[s.hand[seat, i]] > 0"),
    m(25, RULES, "(s.ship[s.player] + step + t.ring_size) % t.ring_size",
      "max(0, min(7, s.ship[s.player] + step))"),
    m(25, LEGAL, "if here != c.NOWHERE:  # SM-25", "if here != c.NOWHERE or size > 0:  # SM-25"),
    m(26, RULES, "p = s.ship[seat]\n    discard_slots(s, t, seat, slots)",
      "p = 0\n    discard_slots(s, t, seat, slots)"),
    m(26, RULES, "p = s.ship[seat]\n    s.pile[p, kind] -= 1", "p = s.ship[0]\n    s.pile[p, kind] -= 1"),
    m(27, OBSERVE, "o.discard[card] = s.discard[card]", "o.discard[card] = 0"),
    m(27, KEPT, "s.older[j] = (1 << int(s.hand_size[j])) - 1", "s.older[j] = 1"),
    m(27, OBSERVE, "w.kept_cards[card] += 1", "w.kept_cards[card] = 1"),
    m(28, LEGAL, "if s.supply[seat] == 0:\n        return", "if s.supply[seat] < 0:\n        return"),
    m(28, LEGAL, "if s.supply[seat] == 0:\n        return",
      "if s.supply[seat] == 0 and not may_develop_here(s):\n        return"),
    m(28, LEGAL, "if s.supply[seat] == 0:\n        return", "if s.supply[seat] <= 1:\n        return"),
    # scan
    m(30, LEGAL, "if p == c.NOWHERE or s.station[p] != c.NOWHERE:\n", "if p == c.NOWHERE:\n"),
    m(31, RULES, "s.supply[seat] -= 1\n        s.reserved", "s.reserved"),
    m(31, RULES, "s.reserved[seat, p] += 1", "s.reserved[seat, p] += 1\n        s.tiles[seat, kind] += 1"),
    m(31, LEGAL, "mask[c.TAKE + k] = s.pile[p, k] > 0", "mask[c.TAKE + k] = 1"),
    m(32, RULES, "for i in range(s.taken[p]):\n        owner",
      "for i in range(min(1, s.taken[p])):\n        owner"),
    m(32, LEGAL, "if p == c.NOWHERE or s.station[p] != c.NOWHERE:\n",
      "if p == c.NOWHERE or s.station[p] != c.NOWHERE or s.scanned[s.player, p] == 1:\n"),
    m(33, OBSERVE, "if recall or t.reserved_tiles_visible:", "if recall or t.reserved_tiles_visible >= 0:"),
    m(33, OBSERVE, "if recall or t.reserved_tiles_visible:", "if recall:"),
    m(34, RULES, "s.scanned[seat, s.ship[seat]] = 1",
      "s.scanned[seat, s.ship[seat]] = point_tiles(s, s.ship[seat]) > 0"),
    m(34, RULES, "reveal_if_only_space(s, t, p)  # SM-34", "pass"),
    m(34, RULES, "if point_tiles(s, p) > 0:\n        s.phase = c.PICK_RESERVE",
      "if tiles_left(s, p) > 0:\n        s.phase = c.PICK_RESERVE"),
    m(35, LEGAL, "or not is_closed(s, t, p)", "or s.face_up[p] == 0"),
    m(35, LEGAL, "or not is_closed(s, t, p)", "or s.taken[p] < 8"),
    m(35, LEGAL, "return t.scan_face_up == 1 or not", "return not"),
    m(35, LEGAL, "return t.scan_face_up == 1 or", "return t.scan_face_up == 1 and s.face_up[p] == 1 or"),
    m(35, RULES, "if is_closed(s, t, p):\n", "if s.face_up[p]:\n"),
    m(35, RULES, "if is_closed(s, t, p):\n", "if s.taken[p] == t.pile_size:\n"),
    m(35, RULES, "        return  # SM-35, option scan_face_up",
      "        look(s, seat, p)\n        return  # SM-35, option scan_face_up"),
    m(35, RULES, "s.scanned[seat, s.ship[seat]] = 1",
      "s.scanned[seat, s.ship[seat]] = 1 - s.face_up[s.ship[seat]]"),
    # develop and discover
    m(40, LEGAL, " and s.scanned[s.player, p] == 1", ""),
    m(40, LEGAL, "s.scanned[s.player, p] == 1", "s.scanned[:, p].any()"),
    m(40, LEGAL, "return (matches(x, a) and matches(y, b)) or", "return (matches(x, a) or matches(y, b)) or"),
    m(40, LEGAL, " or (matches(x, b) and matches(y, a))", ""),
    m(41, RULES, "    s.station[p] = seat\n    deliver_reserved(s, p)", "    s.station[p] = seat"),
    m(41, RULES, "owner = s.taken_by[p, i]", "owner = s.player"),
    m(41, RULES, "s.supply[owner] += 1", "s.supply[owner] += 0"),
    m(41, RULES, "s.supply[seat] -= 1\n    s.station[p] = seat", "s.station[p] = seat"),
    m(42, RULES, "if not is_closed(s, t, p):", "if s.taken[p] < t.pile_size:"),
    m(42, RULES, "if not is_closed(s, t, p):", "if s.face_up[p] == 0:"),
    m(43, LEGAL, "s.station[p] == c.NOWHERE and s.scanned", "s.scanned"),
    m(45, LEGAL, "!= c.NOWHERE and not is_closed(s, t, p)", "!= c.NOWHERE and s.taken[p] < 8"),
    m(45, LEGAL, "s.station[p] != c.NOWHERE and not", "not"),
    m(45, LEGAL, "s.station[p] != c.NOWHERE and not", "s.station[p] == s.player and not"),
    m(46, RULES, "reveal_if_only_space(s, t, p)  # SM-46", "pass"),
    m(46, RULES, "    reveal_if_only_space(s, t, p)  # SM-46",
      "    if s.station[p] != c.NOWHERE:\n        reveal_if_only_space(s, t, p)"),
    m(46, RULES, "if s.pile[p, c.SPACE] > 0 and point_tiles(s, p) == 0:", "if point_tiles(s, p) == 0:"),
    m(46, RULES, "if s.pile[p, c.SPACE] > 0 and point_tiles(s, p) == 0:",
      "if s.pile[p, c.SPACE] > 0 and point_tiles(s, p) <= 1:"),
    # end
    m(50, RULES, "s.revealed >= t.space_tiles_to_end", "s.revealed > t.space_tiles_to_end"),
    m(50, "options.py", "4: 10, 5: 12}", "4: 10, 5: 10}"),
    m(51, RULES, "if following == s.start_player:", "if following == s.start_player or s.last_round:"),
    m(51, RULES, "if following == s.start_player:", "if following == 0:"),
    m(
        52,
        RULES,
        "    s.over = reason\n",
        "    for p in range(c.RING):\n"
        "        if s.station[p] == c.NOWHERE:\n"
        "            deliver_reserved(s, p)\n"
        "    s.over = reason\n",
    ),
    m(53, RULES, "s.round_number >= t.max_rounds", "s.round_number > t.max_rounds"),
    m(53, RULES, "end_game(s, TRUNCATED)", "end_game(s, FINISHED)"),
    # scores
    m(60, SCORING, "GATE_POINTS = (9, 6, 3, 1, 0)", "GATE_POINTS = (9, 6, 3, 2, 0)"),
    m(60, SCORING, "return GATE_POINTS[rank]", "return GATE_POINTS[min(rank, 3)]"),
    m(61, SCORING, "if gate[seat] == 0 and not without_probe:", "if gate[seat] == 0:"),
    m(61, SCORING, "if gate[seat] == 0 and not without_probe:", "if gate[seat] < 0:"),
    m(62, SCORING, "STATION_POINTS = 3", "STATION_POINTS = 4"),
    m(63, SCORING, "return total * most", "return total * total"),
    m(63, SCORING, "return square_points(tiles, c.ALIEN, 2)", "return square_points(tiles, c.ALIEN, 1)"),
    m(64, SCORING, "PAIR_POINTS = 7", "PAIR_POINTS = 6"),
    m(64, SCORING, "SINGLE_POINTS * abs(green - blue)", "SINGLE_POINTS * max(0, green - blue)"),
    m(65, SCORING, "WATER_POINTS = (0, 2, 5, 9, 14)", "WATER_POINTS = (0, 2, 5, 10, 14)"),
    m(65, SCORING, "* (count // 4)", "* min(1, count // 4)"),
    m(65, SCORING, "MEDAL_POINTS = 3", "MEDAL_POINTS = 2"),
    m(66, SCORING, "SPACE_POINTS = -10", "SPACE_POINTS = -5"),
    m(66, LEGAL, "t.space_tile_penalty == 1 and s.pile[p, c.SPACE] > 0", "s.pile[p, c.SPACE] > 0"),
    m(67, SCORING, "* 1000 + scores[seat, c.STATIONS]", "* 1000"),
    m(67, SCORING, "* 1000 + scores[seat, c.STATIONS]", "* 1000 - seat"),
    m(67, SCORING, "scores[seat, c.TOTAL] * 1000 + scores", "scores[seat, c.TOTAL] + 1000 * scores"),
    # who knows what
    m(70, OBSERVE, "o.reserved_row[k] = rows.reserved[j]", "o.reserved_row[k] = 0"),
    m(70, OBSERVE, "o.stations[places_from(seat, int(s.station[p]), n), p] = 1",
      "o.stations[s.station[p], p] = 1"),
    m(70, RULES, "for i in range(c.LAST_ACTIONS - 1, 0, -1):", "for i in range(0):"),
    m(70, RULES, "s.last_from[seat] = s.ship[seat]", "s.last_from[seat] = c.NOWHERE"),
    m(70, OBSERVE, "o.last_cards[k, i] = s.last_cards[j, i]", "o.last_cards[k, i] = s.last_cards[j, 0]"),
    m(70, OBSERVE, "left = t.pile_row - rows.taken", "left = FULL - rows.reserved.sum()"),
    m(71, OBSERVE, "for i in range(looked, s.taken[p]):\n        o.remembered",
      "for i in range(0):\n        o.remembered"),
    m(71, OBSERVE, "card = s.hand[seat, i]\n        for v", "card = s.hand[s.player, i]\n        for v"),
    m(72, OBSERVE, "if s.player == seat and s.phase != c.ACTION and", "if s.phase != c.ACTION and"),
    m(72, OBSERVE, "(s.looked[seat, p] != c.NOWHERE) << p", "1 << p"),
    m(73, OBSERVE, "o.tiles[k] = s.tiles[seat, k]", "o.tiles[k] = s.tiles[:, k].sum()"),
    m(73, LEGAL, "if s.phase == c.OVER or s.player != seat:", "if s.phase == c.OVER:"),
    m(73, SAMPLING, "    redeal_cards(w, t, seat)\n    seed", "    seed"),
    m(73, SAMPLING, "    redeal_tiles(w, t, seat)\n    redeal", "    redeal"),
    m(73, KNOWLEDGE, "h = mix32(h ^ hand)", "h = mix32(h ^ hand ^ (s.seed & M32))"),
    m(73, KNOWLEDGE, "hand = hand << 6 | (np.int64(s.hand[seat, i]) & 63)",
      "hand = hand << 6 | np.int64(s.draw[i])"),
    m(73, KNOWLEDGE, "if s.salt != 0:", "if s.salt < 0:"),
    # complete memory: the key
    memory(KNOWLEDGE, "while place > at + c.PILE + start and key[place - 1] > kind:", "while place < 0:"),
    memory(KNOWLEDGE, "kind = GONE\n", "kind = int(s.taken_kind[p, i])\n"),
    memory(KNOWLEDGE, "insert(key, at, at + i, int(s.hand_epoch[j, i]) + 1)", "insert(key, at, at + i, 1)"),
    memory(KNOWLEDGE, "if j != seat and s.hand_epoch[j, i] != c.NEW:", "if j != seat and s.shuffles < 0:"),
    memory(KNOWLEDGE, "if s.taken_by[p, i] == seat:\n            return i", "if i < 0: return i"),
    # complete memory: epochs of cards
    memory(RULES, "s.hand_epoch[seat, i] = s.hand_epoch[seat, i - 1]", "s.hand_epoch[seat, i] = c.NEW"),
    memory(RULES, "s.hand_epoch[seat, kept] = epoch", "s.hand_epoch[seat, kept] = s.hand_epoch[seat, kept]"),
    memory(RULES, "if t.copies[card] > 1 and", "if t.copies[card] > 60 and"),
    memory(KEPT, "if left != epoch:", "if left > epoch:"),
    memory(KEPT, "s.epoch_cards[other, j] += s", "s.epoch_cards[other, j] = s"),
    memory(RULES, "s.older[seat] += s.older[seat] >> i << i", "s.older[seat] += 0"),
    memory(KEPT, "if found < 2:\n        return", "if found < 9:\n        return"),
    # complete memory: mean numbers
    memory(OBSERVE, "/ np.float32(others)", "/ np.float32(n - 1)"),
    memory(OBSERVE, "share = np.float32(points - 1) / np", "share = np.float32(points) / np"),
    memory(OBSERVE, "np.float32(mean_spaces_gone(spaces, points, gone))",
           "np.float32(gone * spaces / (spaces + points))"),
    memory(KNOWLEDGE, "gone - j >= points", "gone - j > points"),
    memory(OBSERVE, "                start = i + 1\n", "                start = start\n"),
    # complete memory: sampled worlds
    memory(SAMPLING, "kinds[stop - start - 1], kinds[last] = kinds[last], kinds[stop - start - 1]", "pass"),
    memory(SAMPLING, "        deal_epoch(w, seat, epoch, cards, count)\n", ""),
    # even worlds
    even(SAMPLING, "ways[g, n] += WAYS[size[g], k] * ways", "ways[g, n] += ways"),
    even(SAMPLING, "else max(size[g] - 1, 0)", "else size[g]"),
    even(SAMPLING, "hit = below(w, size[FREE]) < spaces[FREE]", "hit = spaces[FREE] > 0"),
    even(SAMPLING, "    shuffle(w, cards, count)\n", ""),
    even(SAMPLING, "if t.space_tile_penalty == 1 and spaces > 0:", "if t.space_tile_penalty > 1:"),
)
# fmt: on


TABLE = Table(GAME, RULE_FOLDER, lambda rule: rule.lower().replace("-", "_"), MUTATIONS)

if __name__ == "__main__":
    sys.exit(TABLE.main())
