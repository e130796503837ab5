"""Commands for what is learned from tables and contracts: text patterns and key names."""
