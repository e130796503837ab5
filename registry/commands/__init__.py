"""The registry's commands, one module a topic; `registry.cli` puts them together."""
