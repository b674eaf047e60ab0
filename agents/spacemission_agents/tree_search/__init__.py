"""What the tree searches of all games share: the nodes of a tree, and simulations shared out to threads."""
