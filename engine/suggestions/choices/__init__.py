"""Compare options of a draft: what each would have learned from the same history, and what that would have found."""
