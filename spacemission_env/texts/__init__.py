"""Tells a seat of any game in text what it may know, and reads its answers: for language models."""
