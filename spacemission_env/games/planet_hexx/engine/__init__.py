"""Implements the rules of Planet Hexx as compiled functions over one record a game.

Read `play.py` first: a stack of frames (`state.FRAME`) holds what is under way, and the game proceeds frame
by frame until somebody has to choose. Frames are continued in `turn.py` (the turn), `declare.py` (an Action
or a Surprise), `windows.py`, `moving.py` and `effects.py`. `legal.py` decides what may be chosen;
`layout.py`, `observe.py` and `keys.py` what a seat knows; `determinize.py` samples the rest. Call them
through `batch.py`.
"""
