"""Lets language models play: `llm:MODEL` over a chat-completions server, and `llm:null`."""
