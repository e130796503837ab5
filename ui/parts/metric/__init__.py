"""Parts of a metric's page."""
