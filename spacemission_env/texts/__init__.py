"""Tells a language model in text what its seat may know, and reads its answers."""
