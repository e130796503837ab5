"""Review of contract changes, from proposal to version in force."""
