"""Pack, store and merge the states of partitions."""
