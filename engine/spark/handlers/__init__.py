"""Handlers of requests to the Spark child, one module per kind of request."""
