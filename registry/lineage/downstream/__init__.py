"""What bad data reached downstream, and what a change would affect."""
