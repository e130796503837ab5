"""Start, serve and limit the Spark child process."""
