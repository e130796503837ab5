"""What every route shares: dependencies, problems, ETags, limits, metrics."""
