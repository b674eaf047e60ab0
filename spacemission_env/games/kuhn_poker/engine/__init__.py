"""The rules of Kuhn poker as compiled functions over one structured record a game.

Read `rules.py` first, then what a seat knows (`layout.py`, `observe.py`), then what it does not
(`determinize.py`). `batch.py` is the door to all of them: the front ends call nothing else.
"""
