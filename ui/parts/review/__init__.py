"""Parts of the review page."""
