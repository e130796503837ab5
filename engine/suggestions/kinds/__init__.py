"""Kinds of suggestions, by subject."""
