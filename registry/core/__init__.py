"""Clock, ids, settings, database, errors and enums of the registry."""
