"""Choose whom to notify, queue messages and deliver them."""
