"""Unions of sketches whose answers do not depend on the order of merging."""
