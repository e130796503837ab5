"""Contract drafts, nightly redrafts and refits of programs."""
