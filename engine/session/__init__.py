"""Verify tables, find violating rows and monitor streams in the user's own Spark session."""
