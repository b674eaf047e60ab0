"""Kuhn poker: its rules, what seats know, and how far a policy is from an equilibrium."""
