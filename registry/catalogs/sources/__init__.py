"""Kinds of catalogs beyond Iceberg REST, each with a module for its requests and one for its answers."""
