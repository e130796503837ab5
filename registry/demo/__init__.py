"""The main job on generated or given tables."""
