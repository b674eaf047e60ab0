"""How the value is trained by which the arena tells luck from skill."""
