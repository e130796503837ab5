"""Contract list, search and inbox."""
