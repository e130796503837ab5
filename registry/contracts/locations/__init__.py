"""Locations that the service may read: allowed ones, and those of the service itself."""
