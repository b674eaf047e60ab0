"""What is kept of a tournament: its journal, record parts and folder."""
