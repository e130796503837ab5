"""Build profiles of tables."""
