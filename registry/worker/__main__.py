"""The worker, as a program and by its public names: `python -m registry.worker.__main__` works until told to stop."""

from registry.core import logs
from registry.core import settings as core_settings
from registry.worker.loop import Stop, Worker
from registry.worker.process import run

__all__ = ["Stop", "Worker", "main", "run"]


def main() -> None:
    """Works with the settings of the environment."""
    settings = core_settings.load()
    logs.configure(settings.log)
    run(settings)


if __name__ == "__main__":
    main()
