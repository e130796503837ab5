"""Python API for Spark jobs: gated reads, gated writes and lineage settings."""
