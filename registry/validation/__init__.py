"""Validate a dataset: plan, read, evaluate, store, emit."""
