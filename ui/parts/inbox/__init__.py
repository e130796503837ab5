"""Parts of the inbox."""
