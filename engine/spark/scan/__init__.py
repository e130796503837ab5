"""Compute states in one scan, and find violating rows."""
