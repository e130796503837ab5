"""Auto-Validate by-History (KDD 2023): what changed between two partitions, told from their states alone."""
