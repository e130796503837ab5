"""Mergeable states from which analyzers compute metrics."""
