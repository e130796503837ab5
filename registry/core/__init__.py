"""Clock, ids, settings, database, errors, enums."""
