"""Upkeep, backup, retries and cancellation."""
