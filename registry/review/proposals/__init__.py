"""Proposals: edits, decisions, discussion and assignment."""
