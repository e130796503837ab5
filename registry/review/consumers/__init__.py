"""Consumers' checks and what a version breaks for them."""
