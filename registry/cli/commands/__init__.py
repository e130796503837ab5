"""The registry's commands, one module a topic; `registry.cli.main` puts them together."""
