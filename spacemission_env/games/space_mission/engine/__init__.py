"""Holds the rules as compiled functions over one record a game.

Front ends, search and batch call the same functions, which neither allocate memory nor use global random
numbers. Read `rules.py` beside docs/rules.md.
"""
