"""Define the messages between a process and its Spark child."""
