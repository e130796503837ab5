"""Keys predicted from names: features, models, training and comparison of models."""
