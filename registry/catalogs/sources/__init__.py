"""Read kinds of catalogs beyond Iceberg REST: a module for requests, another for answers."""
