"""Shared parts of the routes: dependencies, problem responses, ETags, limits and metrics."""
