"""What a user's Spark job imports."""
