"""Run a worker until it is stopped: `python -m treaty.registry.worker`.

The process that works is a child of this one, which starts it again if it dies."""

from treaty.registry.worker import supervisor

if __name__ == "__main__":
    supervisor.main()
