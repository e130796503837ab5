"""Read Unity Catalog, open-source and of Databricks."""
