"""Suggest checks from a profile's history."""
