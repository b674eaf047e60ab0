"""Holds the shipped deck and the template of a new one."""
