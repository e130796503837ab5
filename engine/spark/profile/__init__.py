"""Scans that profiles and drafts need."""
