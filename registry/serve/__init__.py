"""Run the API, the worker and the pages together on one machine."""
