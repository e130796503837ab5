"""Impact of bad data on downstream datasets."""
