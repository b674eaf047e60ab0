"""The rules of Planet Hexx as compiled functions over one structured record a game.

Read `play.py` first: what is going on lies on a stack of frames (`state.FRAME`), and the game goes on frame
by frame until somebody has to choose. Then the frames: `turn.py` (the turn itself), `declare.py` (an Action
or a Surprise), `windows.py`, `moving.py`, `effects.py`. What may be chosen: `legal.py`. What a seat knows:
`layout.py`, `observe.py`, `keys.py`; what it does not: `determinize.py`. `batch.py` is the door to them.
"""
