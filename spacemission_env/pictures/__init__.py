"""Pictures of games: what drawings are made of, their colours, and how they become pixels."""
