"""What a promise means and how it is computed."""
