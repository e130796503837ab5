"""Parse query rules and rewrite them from an allow-list."""
