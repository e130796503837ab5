"""State bags: pack, seal, merge, generations."""
