"""The Spark child: start, serve, limits, errors."""
