"""Read Apache Gravitino."""
