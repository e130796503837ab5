"""Print answers of the API at a terminal."""
