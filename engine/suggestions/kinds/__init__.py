"""The kinds of suggestions, by what they promise about."""
