"""Writes boards, moves and results as text, from observations alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence

from spacemission_env.games.space_mission.actions import Move
from spacemission_env.games.space_mission.engine.layout import OLDEST
from spacemission_env.games.space_mission.view import Beside, Counts, Means, View

WIDTH = 80
LIKELIEST, LIKELY = 3, 0.3  # name at most this many uncertain kinds, each with at least this mean number
NAME_WIDTH = 14
PHASES = {
    "action": "to act",
    "reserve": "to reserve a tile",
    "develop": "to take a tile",
    "discover": "to take a tile",
}


def board(view: View, seat: int, more: Beside) -> str:
    """The table as a seat knows it, at most 80 columns wide."""
    ring = _ring(view, seat, more.visits)
    parts = [_state_of_play(view, seat), ring, _players(view, seat, True), _piles(view)]
    others = [
        _wrap(f"Tiles of {_name(j)}: ", _kinds(kinds))
        for j, kinds in enumerate(more.tiles or ())
        if j != seat
    ]
    return "\n\n".join([*parts, "\n".join([_own(view, seat), *others])]) + "\n"


def open_board(views: Sequence[View]) -> str:
    """The table with all hands and tiles shown, from the views of all seats."""
    view = views[0]
    parts = [_state_of_play(view, 0), _ring(view, 0, None), _players(view, 0, False), _piles(view)]
    hands = [_laid_open(one, seat) for seat, one in enumerate(views)]
    return "\n\n".join([*parts, "\n".join(hands)]) + "\n"


def move_words(move: Move, player: int, planet: str | None, reserves: bool, seat: int | None) -> str:
    """A legal move as text, before it is made; a tile that another seat takes is hidden (SM-71).

    Args:
        move: the move, with names of cards and of its planet or tile.
        player: the seat that moves.
        planet: the planet where the ship of `player` is; None on the jump gate.
        reserves: whether a tile pick reserves the tile.
        seat: the reader; None for a reader who may know all.
    """
    here = f" on {planet}" if planet else ""
    tile = _kind(move.target) if seat in (None, player) else "a tile"
    cards = _cards(move.cards)
    words = {
        "top_up": f"tops up, discarding {cards}",
        "jump": f"jumps to {move.target} with {cards}",
        "fly": f"flies to {move.target}",
        "scan": f"scans{here} with {cards}",
        "develop": f"develops{here} with {cards}",
        "discover": f"discovers{here}",
        "take": f"{'reserves' if reserves else 'takes'} {tile}{here}",
    }
    return f"{_name(player)} {words[move.kind]}"


def result_words(
    scores: Sequence[Mapping[str, int]], winners: Sequence[int], agents: Sequence[str] | None
) -> str:
    """The scores as text (SM-60 to SM-67); only for finished games, since scores reveal hidden tiles."""
    columns = list(scores[0])
    lines = ["player  " + "".join(f" {name}" for name in columns)]
    for seat, row in enumerate(scores):
        won = "  won" if seat in winners else ""
        lines.append(_name(seat) + "".join(f"{row[name]:>{len(name) + 1}}" for name in columns) + won)
    if agents:
        lines.append(_wrap("Agents: ", ", ".join(f"{_name(seat)} {one}" for seat, one in enumerate(agents))))
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- parts of the board


def _seats(view: View, seat: int) -> list[tuple[int, int]]:
    """The seats in seat order, each with its relative seat in the view."""
    return [(j, (j - seat) % view.num_players) for j in range(view.num_players)]


def _state_of_play(view: View, seat: int) -> str:
    if view.player_to_act is None:
        turn = "The game is over."
    else:
        left = f"{view.actions_left} action{'s' * (view.actions_left != 1)} left"
        turn = f"Turn: {_name((seat + view.player_to_act) % view.num_players)}, {PHASES[view.phase]}, {left}."
    last = ", the last" if view.last_round else ""
    start = _name((seat + view.start_player) % view.num_players)
    return (
        f"Round {view.round} of at most {view.max_rounds}{last}; {start} began.\n{turn}\n"
        f"Space tiles face up: {view.revealed}; {view.space_tiles_to_end} end the game."
    )


def _ring(view: View, seat: int, visits: Sequence[str] | None) -> str:
    """The planets; if `visits` (`Beside.visits`) is given, also what the seat remembers of each."""
    heads = ["planet", "jump", "scan", "land", "ships", "owner", "pile", "scans", "looks", "tiles taken"]
    rows = ["   " + _columns(heads)]
    seats = _seats(view, seat)
    for p, planet in enumerate(view.planets):
        cells = [
            _fit(planet.name),
            str(planet.jump),
            str(planet.scan),
            "+".join(map(str, planet.landing)),
            _marks(str(j) for j, k in seats if view.ships[k] == p),
            _marks(str(j) for j, k in seats if p in view.stations[k]),
            _pile(view, p),
            _marks(str(j) for j, k in seats if p in view.scanned[k]),
            _marks(str(j) for j, k in seats if p in view.seen[k]),
            " ".join(f"{j}x{_taken(view, k, p)}" for j, k in seats if _taken(view, k, p)),
        ]
        if len(cells[-1]) > WIDTH - len(_columns([*cells[:-1], "|"])) - 2:  # as when five seats took tiles
            rows += [f"{p}  {_columns([*cells[:-1], ''])}", f"     taken: {cells[-1]}"]
        else:
            rows.append(f"{p}  {_columns(cells)}")
        if visits is not None:
            rows += _memory(view, seat, p, visits[p])
    return "\n".join(rows)


def _columns(cells: Sequence[str]) -> str:
    widths = (NAME_WIDTH, 4, 4, 4, 5, 5, 7, 5, 5, 0)
    return " ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def _taken(view: View, k: int, p: int) -> int:
    """How many tiles seat k took from planet p: as remembered (SM-74), else only those still reserved."""
    return view.taken[k][p] or view.reserved[k][p]


def visit_words(action: str, age: int) -> str:
    """Words for the seat's last look through a pile ("your discover 3 rounds ago"); `age`: in rounds."""
    when = f"{age}{' or more' * (age == OLDEST)} round{'s' * (age > 1)} ago" if age else "this round"
    return f"your {action or 'look'} {when}"


def _memory(view: View, seat: int, p: int, visit: str) -> list[str]:
    """Lines on what the observer remembers of a pile (SM-71, SM-74), without tiles that now lie face up."""
    lines = []
    words = visit_words(visit, view.remembered_age[p])
    if view.remembered[p] and not view.face_up[p]:
        since = f", {view.gone_since[p]} gone since" if view.gone_since[p] else ""
        lines.append(_wrap(f"     {words} left{since}: ", _kinds(view.remembered[p])))
    elif visit:
        lines.append(f"     {words}")
    if view.reserved_kinds[p]:
        lines.append(_wrap("     you reserved: ", _kinds(view.reserved_kinds[p])))
    likely = ((j, _likely(view.taken_kinds[k][p], view.taken[k][p])) for j, k in _seats(view, seat))
    found = "; ".join(f"{_name(j)} {kinds}" for j, kinds in likely if kinds)
    if found:
        lines.append(_wrap("     took, as far as you know: ", found))
    return lines


def _likely(means: Means, taken: int) -> str:
    """Words for the tiles that a seat took: their kind if that is certain, else likely kinds with means."""
    order = sorted(means.items(), key=lambda item: -item[1])
    if order and order[0][1] > taken - 0.001:
        return f"{taken} {_kind(order[0][0])}"
    likely = [f"{mean:.2g} {_kind(kind)}" for kind, mean in order[:LIKELIEST] if mean >= LIKELY]
    return f"{taken}: {', '.join(likely)}" if likely else ""


def _players(view: View, seat: int, own: bool) -> str:
    rows = [f"   {'player':<15} {'ship':<{NAME_WIDTH}} chips  on gate  hand  tiles  stations"]
    for j, k in _seats(view, seat):
        ship = view.ships[k]
        where = "jump gate" if ship is None else _fit(view.planets[ship].name)
        turn = ">" if k == view.player_to_act else " "
        name = _name(j) + (" (you)" if own and k == 0 else "")
        rows.append(
            f"{turn}  {name:<15} {where:<{NAME_WIDTH}} {view.supply[k]:>5}  {view.gate[k]:>7}  "
            f"{view.hand_size[k]:>4}  {view.tile_total[k]:>5}  {len(view.stations[k]):>8}"
        )
    last = "; ".join(
        f"{_name(j)} {_last_actions(view, k)}" for j, k in _seats(view, seat) if view.last_actions[k]
    )
    if last:
        rows.append(_wrap("Last actions, latest first: ", last))
    return "\n".join(rows)


def _last_actions(view: View, k: int) -> str:
    """The last two actions of a seat, latest first; where its ship came from is known only for the latest."""
    texts = []
    for i, (action, cards) in enumerate(zip(view.last_actions[k], view.last_cards[k], strict=True)):
        came = view.last_from[k]
        if action == "top up":
            texts.append(f"{action} {cards}")
        elif action in ("jump", "fly") and i == 0:
            texts.append(f"{action} from {'gate' if came is None else came}")
        else:
            texts.append(action)
    return ", ".join(texts)


def _piles(view: View) -> str:
    size = sum(view.discard.values())
    discard = (
        _wrap(f"Discard pile: {size} cards: ", _card_counts(view.discard)) if size else "Discard pile: empty"
    )
    return f"Draw pile: {view.draw_pile_size} cards\n{discard}"


def _own(view: View, seat: int) -> str:
    hand = "  ".join(f"[{slot}] {card}" for slot, card in enumerate(view.hand)) or "empty"
    lines = [_wrap("Your hand: ", hand), _wrap("Your tiles: ", _kinds(view.tiles))]
    if view.kept_cards:
        lines.append(_wrap("Held by others since a shuffle: ", "; ".join(_kept(view, seat))))
    if view.pile_in_view:
        lines.append(_wrap("You look through the pile: ", _kinds(view.pile_in_view)))
    return "\n".join(lines)


def _kept(view: View, seat: int) -> list[str]:
    """The known cards in the hands of others (SM-74), grouped by the seats' chances to hold them.

    "player_1 2, player_3 1 of A, B, C": player_1 holds two of these three cards, player_3 holds one.
    """
    groups: dict[tuple[float, ...], Counts] = {}
    for card, copies in view.kept_cards.items():
        share = tuple(round(view.kept_by[k].get(card, 0) / copies, 3) for _, k in _seats(view, seat))
        groups.setdefault(share, {})[card] = copies
    texts = []
    for cards in groups.values():
        held = [(j, sum(view.kept_by[k].get(card, 0) for card in cards)) for j, k in _seats(view, seat)]
        holders = [f"{_name(j)} {number:.2g}" for j, number in held if number]
        texts.append(f"{', '.join(holders)} of {_card_counts(cards)}")
        if len(holders) == 1:
            texts[-1] = f"{holders[0].split()[0]} {_card_counts(cards)}"
    return texts


def _laid_open(view: View, seat: int) -> str:
    lines = [_wrap(f"{_name(seat)} holds ", _cards(view.hand)), _wrap("    tiles: ", _kinds(view.tiles))]
    for planet, kinds in zip(view.planets, view.reserved_kinds, strict=True):
        if kinds:
            lines.append(_wrap(f"    reserved on {planet.name}: ", _kinds(kinds)))
    return "\n".join(lines)


# ---------------------------------------------------------------- words


def _name(seat: int) -> str:
    return f"player_{seat}"


def _marks(marks: Iterable[str]) -> str:
    return "".join(marks) or "-"


def _pile(view: View, p: int) -> str:
    if view.face_up[p]:
        return f"{view.face_up[p]} space"
    return f"{view.tiles_left[p]} tiles" if view.tiles_left[p] else "empty"


def _fit(name: str) -> str:
    return name if len(name) <= NAME_WIDTH else name[: NAME_WIDTH - 1] + "…"


def _kind(kind: str) -> str:
    return kind.replace("_", " ")


def _kinds(counts: Counts) -> str:
    return ", ".join(f"{count} {_kind(kind)}" for kind, count in counts.items()) or "none"


def _card_counts(counts: Counts) -> str:
    return _cards([f"{count} {card}" if count > 1 else card for card, count in counts.items()])


def _cards(cards: Sequence[str]) -> str:
    return ", ".join(cards) or "nothing"


def _wrap(start: str, text: str) -> str:
    return textwrap.fill(start + text, WIDTH, subsequent_indent=" " * 8, break_on_hyphens=False)
