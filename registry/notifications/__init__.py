"""Select recipients of notifications, queue messages and deliver them."""
