"""Compare two documents: differences, their directions, compatibility."""
