"""The demo: the main job on generated tables or on the user's own."""
