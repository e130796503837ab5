"""Data contracts for Apache Spark: draft, approve, validate on lineage events, learn from history."""
