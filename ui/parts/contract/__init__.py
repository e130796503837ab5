"""Parts of a contract's page."""
