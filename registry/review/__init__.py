"""From proposal to version in force."""
