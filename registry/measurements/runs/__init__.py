"""Store runs with their results, samples and metrics."""
