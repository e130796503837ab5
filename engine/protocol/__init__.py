"""Messages between a process and its Spark child."""
