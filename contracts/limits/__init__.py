"""Bound the work that SQL and regular expressions of other people can cause."""
