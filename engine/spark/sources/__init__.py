"""Open tables and detect which of their partitions changed."""
