"""Lineage events: receive, store, check and fold them into states of runs."""
