"""Web pages for owners and consumers."""
