"""Holds independent implementations of the rules and of knowledge, to check the engine."""
