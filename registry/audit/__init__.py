"""The append-only, hash-chained audit log and its signed heads."""
