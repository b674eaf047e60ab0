"""Tests of the pages: what is made is up to date, what is linked is there."""
