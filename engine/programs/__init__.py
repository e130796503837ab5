"""Auto-Validate by-History (KDD 2023): detect changes between partitions from their states alone."""
