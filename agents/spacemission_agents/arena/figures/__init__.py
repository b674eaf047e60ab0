"""From results to figures: sums, shares with intervals, ratings."""
