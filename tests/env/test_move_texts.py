"""Tests how texts of moves are compared; `test_text_seat` has those of every game."""

import sys

from spacemission_env.core.move_texts import begins, find_move, move_key


def test_every_letter_is_the_same_in_any_case() -> None:
    for one in map(chr, range(sys.maxunicode + 1)):
        forms = {one, one.upper(), one.lower(), one.swapcase()}
        assert len(forms) == 1 or len({move_key(form) for form in forms}) == 1


def test_a_beginning_has_whole_words() -> None:
    assert begins("jump Ruby Red J1S2", "JUMP  ruby") and begins("upload", "upload")
    assert not begins("upload_now wormhole", "upload") and not begins("jump", "jump Hazard")
    assert find_move("TAKEwater", {3: "take water", 4: "take medal"}) == 3
