"""Mutated inputs of every kind of file: `python -m tests.fuzz COUNT [--seed N] [--kinds saved,record]`."""
