"""Parts of pages, one room a page."""
