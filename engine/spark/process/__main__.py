"""Run the Spark process: `python -m treaty.engine.spark.process DESCRIPTOR`."""

import sys
from multiprocessing.connection import Connection

from treaty.engine.spark.process.server import serve


def main() -> None:
    """Serve requests from the pipe with that descriptor; its first message is the settings."""
    pipe = Connection(int(sys.argv[1]))
    serve(pipe, pipe.recv())


if __name__ == "__main__":
    main()
