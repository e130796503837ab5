"""API, worker and pages together on one machine."""
