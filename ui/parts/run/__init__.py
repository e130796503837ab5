"""Parts of a run's page."""
