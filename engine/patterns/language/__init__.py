"""The language of patterns: tokens, patterns, their texts and ids."""
