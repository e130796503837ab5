"""Select the suggestions that a draft proposes."""
