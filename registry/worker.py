"""The worker, as a program and by its public names: `python -m registry.worker` works until told to stop."""

from registry import config, logs
from registry.work.loop import Stop, Worker
from registry.work.process import run

__all__ = ["Stop", "Worker", "main", "run"]


def main() -> None:
    """Works with the settings of the environment."""
    settings = config.load()
    logs.configure(settings.log)
    run(settings)


if __name__ == "__main__":
    main()
