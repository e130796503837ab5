"""Lists, search and inbox."""
