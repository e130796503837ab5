"""Statistics and distances of summaries of partitions."""
