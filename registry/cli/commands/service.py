"""Connect commands to the API and print their results."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from treaty.engine.cli.commands import CliError
from treaty.registry.core.settings import load

if TYPE_CHECKING:
    from treaty.registry.client import Client

UNAUTHENTICATED = 401


@contextmanager
def open_client() -> "Iterator[Client]":
    """Yield a client with the configured URL and token. Converts API errors to CliError."""
    from treaty.registry.client import Client, ClientError

    settings = load()
    try:
        with Client(settings.api, settings.token or None) as client:
            yield client
    except ClientError as error:
        unauthenticated = "Authentication required. Set TREATY_TOKEN to an API token."
        raise CliError(unauthenticated if error.status == UNAUTHENTICATED else str(error)) from None


def print_result(result: Any, show: Callable[[Any, Any], None], *, as_json: bool) -> None:
    """Print the result as JSON or with `show`."""
    from treaty.registry.cli.output.tables import console

    if as_json:
        print(result.model_dump_json(indent=2))
    else:
        show(result, console())
