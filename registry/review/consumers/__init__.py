"""Consumers' checks, and the impact of new versions on consumers."""
