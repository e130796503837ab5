"""Read Iceberg REST catalogs."""
