"""From OpenLineage events to tasks."""
