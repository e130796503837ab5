"""Serve the pages: sign-in, security, settings."""
