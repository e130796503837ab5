"""The `treaty` command."""
