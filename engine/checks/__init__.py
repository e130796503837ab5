"""Bind the checks of a contract to a schema."""
