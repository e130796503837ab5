"""Parts of the contract page."""
