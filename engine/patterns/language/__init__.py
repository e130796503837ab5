"""The pattern language: tokens, patterns, their texts and ids."""
