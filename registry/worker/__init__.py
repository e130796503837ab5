"""The worker: what it works with, the kinds of tasks that it does, what it looks after by the clock, its process."""
