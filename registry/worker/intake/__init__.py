"""Fold lineage events into runs and react to them."""
