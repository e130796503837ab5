"""Patterns learned from the columns of the lake."""
