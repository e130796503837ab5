"""Parts of the metric page."""
