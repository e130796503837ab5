"""Receive, store and diagnose lineage events, and fold them into run states."""
