"""Run a worker until it is stopped: `python -m treaty.registry.worker`."""

from treaty.registry.core import logs, settings
from treaty.registry.worker import process


def main() -> None:
    """Run a worker with the settings of the environment."""
    loaded = settings.load()
    logs.configure(loaded.log_format)
    process.run(loaded)


if __name__ == "__main__":
    main()
