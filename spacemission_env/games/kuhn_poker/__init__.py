"""Kuhn poker (Kuhn 1950) for 2 and 3 players: a small game whose solution is known.

It shows what a game needs to have here, and it checks training: how far a policy is from an equilibrium can
be worked out exactly. The rules are in `engine/rules.py`.
"""
