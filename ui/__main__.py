"""Serve the pages until interrupted: `python -m treaty.ui`, by default on 127.0.0.1:8701."""

import argparse

from treaty.extras import MissingExtra, require
from treaty.ui.texts import common as texts

# Browsers keep their sockets open; after this many seconds the server closes them.
FAREWELL = 3
# Exit code when the pages are not installed, the same as that of the `treaty` command.
MISSING = 3


def main(arguments: list[str] | None = None) -> None:
    """Serve the pages until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog=texts.PROGRAM, description=texts.PURPOSE)
    parser.add_argument("--host", default="127.0.0.1", help=texts.HOST)
    parser.add_argument("--port", type=int, default=8701, help=texts.PORT)
    options = parser.parse_args(arguments)
    try:
        require("ui")
    except MissingExtra as error:
        parser.exit(MISSING, f"{parser.prog}: {error}\n")
    import uvicorn

    from treaty.registry.core.server_protocol import BoundedHttpProtocol
    from treaty.ui.server.settings import SettingsError, load

    try:
        settings = load()
    except SettingsError as error:
        parser.error(str(error))
    uvicorn.run(
        "treaty.ui.asgi:app",
        host=options.host,
        port=options.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        http=BoundedHttpProtocol,
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=FAREWELL,
    )


if __name__ == "__main__":
    main()
