"""Fuzz tests of all kinds of files: `python -m tests.fuzz COUNT [--seed N] [--kinds saved,record]`."""
