"""The worker: its dependencies, task handlers, periodic jobs and process."""
