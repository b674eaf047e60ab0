"""Holds the rules as compiled functions over one record per game.

Front ends, search and batch call the same functions, which neither allocate memory nor use global random
numbers. Read `rules.py` together with docs/rules.md, which has the rules by their ids SM-nn.
"""
