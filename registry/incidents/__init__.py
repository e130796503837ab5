"""Incidents: lifecycle, actions of users, and ownership."""
