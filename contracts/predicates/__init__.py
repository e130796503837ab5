"""Parse predicates and rewrite them from an allow-list."""
