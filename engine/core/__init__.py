"""Clock, files, locks, keys, number formats, results, errors and partition names."""
