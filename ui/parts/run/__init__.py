"""Parts of the run page."""
