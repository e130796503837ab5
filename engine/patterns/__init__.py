"""Patterns of text columns, learned from the whole lake (Auto-Validate, SIGMOD 2021)."""
