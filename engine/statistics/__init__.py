"""Compute statistics and distances from partition summaries."""
