"""Stored states: generations, compaction, collection, erasure."""
