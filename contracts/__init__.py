"""Contract documents: reading, validation, comparison and editing."""
