"""Generators of the reference pages, one module per page or group of pages."""
