"""Tests Planet Hexx."""
