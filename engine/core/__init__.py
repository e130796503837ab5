"""Clock, files, locks, keys, formats, result values and errors."""
