"""Contracts in other tools' words: what is exported of one, and what documents are made of what is imported."""
