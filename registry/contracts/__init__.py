"""Versions of contracts: numbering, status, subscriptions and comparison."""
