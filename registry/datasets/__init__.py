"""Names of datasets, their contracts, and related datasets."""
