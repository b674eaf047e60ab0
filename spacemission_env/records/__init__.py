"""Game records, format 1: writing, reading and checking them."""
