"""Define checks and compute their results."""
