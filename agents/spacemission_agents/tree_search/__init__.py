"""Information-set tree search: the nodes of a tree, and the agent that searches in threads."""
