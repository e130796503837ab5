"""Store states: generations, queries, compaction, file collection, erasure."""
