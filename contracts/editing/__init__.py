"""Edit documents: patches, drift, skeletons, check entries."""
