"""The registry's own key-name model: what it is trained on, its training and its choice."""
