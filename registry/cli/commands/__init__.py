"""The registry's commands, one module a topic; `treaty.registry.cli.main` puts them together."""
