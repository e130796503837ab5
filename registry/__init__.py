"""The registry: contract versions, approval, audit, tasks, lineage, history and the HTTP API."""
