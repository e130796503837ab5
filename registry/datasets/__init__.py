"""Identity, names and related datasets."""
