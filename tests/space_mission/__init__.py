"""Tests of Space Mission's rules, knowledge, components and text."""
