"""Patterns that were learned from the lake's columns."""
