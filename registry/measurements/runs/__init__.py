"""Records of runs, their results, samples and metrics."""
