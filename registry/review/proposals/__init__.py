"""Proposals: edits, decisions, discussion, assignment."""
