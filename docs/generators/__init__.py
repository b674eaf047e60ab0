"""Generators of pages, figures and pictures; `make docs` runs most of them, two are run by hand."""
