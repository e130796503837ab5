"""Import and export contracts in formats of other tools."""
