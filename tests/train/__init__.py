"""Tests of training: runs, settings, self-play, studies."""
