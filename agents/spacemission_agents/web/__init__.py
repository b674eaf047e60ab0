"""`spacemission web`: games in the browser, between people and agents in any seats."""
