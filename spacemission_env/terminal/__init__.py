"""Games of people in a terminal: play against agents, watch a record. For any game, by its `GameSpec`."""
