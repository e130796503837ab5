"""Provide commands that need no registry."""
