"""The owners' and consumers' pages."""
