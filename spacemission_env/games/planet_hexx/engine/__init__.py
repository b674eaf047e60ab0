"""Implements the rules of Planet Hexx as compiled functions over one record per game.

Read `play.py` first; HX-nn and HR-nn are ids of rules in docs/planet_hexx_rules.md. A stack of frames
(`state.FRAME`) holds everything that is under way; the game continues the top frame until a player has to
choose. `turn.py` (turns), `declare.py` (Actions, Surprises, windows), `moving.py` and `effects.py` continue
frames. `legal.py` decides which moves are legal.
`layout.py`, `observe.py` and `keys.py` define what a seat knows; `determinize.py` samples what it does not
know. Other packages call the functions of `batch.py`.
"""
