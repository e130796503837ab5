"""Versions of contracts: numbering, status, subscriptions, comparison."""
