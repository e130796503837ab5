"""Incidents: when one opens, joins, closes and reopens."""
