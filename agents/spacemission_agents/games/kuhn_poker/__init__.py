"""Agents' part of Kuhn poker: its chance correction."""
