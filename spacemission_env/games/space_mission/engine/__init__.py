"""The rules of Space Mission as compiled functions over one structured record a game.

No API, no allocation, no global random numbers: the front ends, the search and the batch all
call the same functions. Read `rules.py` beside docs/rules.md.
"""
