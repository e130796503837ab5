"""Profiles of tables and the suggestions drawn from them."""
