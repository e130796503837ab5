"""Connections to metadata catalogs, and the facts that are read from them."""
