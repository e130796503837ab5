"""Drafts, nightly redrafts and refits."""
