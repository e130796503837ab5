"""Routes of the HTTP API, one module a resource."""
