"""Evaluate a version on stored states of the past."""
