"""What several test modules use: positions, toy games, boxes, bots. Nothing here is a test."""
