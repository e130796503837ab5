"""Run every Spark job of the engine; no other room imports pyspark."""
