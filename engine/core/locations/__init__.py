"""Locations of tables: their spellings, and the rules of which may be read."""
