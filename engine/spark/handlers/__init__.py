"""Handlers of requests to the Spark child, one module a verb."""
