"""Writes, reads and checks game records (docs/records.md)."""
