"""Starts the pages: `python -m treaty.ui`, by default on 127.0.0.1:8701, until interrupted."""

import argparse

from treaty.extras import MissingExtra, require
from treaty.ui.texts import common as texts

# Browsers keep their socket open; after this many seconds it is closed for them.
FAREWELL = 3
# The exit code where the pages are not installed, as of the command.
MISSING = 3


def main(arguments: list[str] | None = None) -> None:
    """Serves the pages until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog=texts.PROGRAM, description=texts.PURPOSE)
    parser.add_argument("--host", default="127.0.0.1", help=texts.HOST)
    parser.add_argument("--port", type=int, default=8701, help=texts.PORT)
    given = parser.parse_args(arguments)
    try:
        require("ui")
    except MissingExtra as error:
        parser.exit(MISSING, f"{parser.prog}: {error}\n")
    import uvicorn

    from treaty.ui.server.settings import SettingsError, load

    try:
        load()
    except SettingsError as error:
        parser.error(str(error))
    uvicorn.run(
        "treaty.ui.asgi:app",
        host=given.host,
        port=given.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=FAREWELL,
    )


if __name__ == "__main__":
    main()
