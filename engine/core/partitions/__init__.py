"""Partition names: parsing, merged months, filters and views."""
