"""Tests of Kuhn poker: rules, hidden information, and distance to an equilibrium."""
