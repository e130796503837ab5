"""Parts of the lineage page."""
