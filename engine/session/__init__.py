"""Verify tables, find failing rows and watch streams in the user's own Spark session."""
