"""Read OpenMetadata."""
