"""The worker, as a program and by its public names: `python -m registry.worker` works until told to stop."""

import logging

from registry import config
from registry.work.loop import Stop, Worker
from registry.work.process import log, run

__all__ = ["Stop", "Worker", "main", "run"]


def main() -> None:
    """Works with the settings of the environment."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    log.setLevel(logging.INFO)
    run(config.load())


if __name__ == "__main__":
    main()
