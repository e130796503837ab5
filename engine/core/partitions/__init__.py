"""Names of partitions: months, filters, views."""
