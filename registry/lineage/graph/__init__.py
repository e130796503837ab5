"""The lineage graph: flows of jobs, traversal, lists, visibility."""
