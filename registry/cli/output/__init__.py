"""Print API responses in the terminal."""
