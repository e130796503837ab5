"""Commands for allowed locations."""

import json
import os
from typing import Annotated

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.engine.core.locations.spelling import UnusableLocation, normalise
from treaty.registry.cli.commands.service import open_client
from treaty.registry.cli.output.tables import console, print_table

app = typer.Typer(
    name="locations", no_args_is_help=True, help="Manage the locations whose tables the service may read."
)
Location = Annotated[
    str,
    typer.Argument(
        metavar="LOCATION", help="Folder, URL such as s3://lake/raw, or catalog or schema", show_default=False
    ),
]
Domain = Annotated[str | None, typer.Option(help="The only domain whose contracts may read there; by default all")]
COLUMNS = ("location", "domain", "added_by", "created_at")


@app.command("list")
def list_locations(as_json: Json = False) -> None:
    """List the allowed locations, those of TREATY_LOCATIONS first. Administrators only."""
    with open_client() as client:
        found = client.locations()
    if as_json:
        print(json.dumps([each.model_dump(mode="json") for each in found], indent=2))
        return
    rows = [[str(getattr(each, name) or "-") for name in COLUMNS] for each in found]
    print_table(console(), COLUMNS, rows)


@app.command()
def add(location: Location, domain: Domain = None) -> None:
    """Allow contracts about the tables below a location. Administrators only."""
    with open_client() as client:
        added = client.add_location(_absolute(location), domain=domain)
    print(f"Allowed: {added.location}" + (f" for the domain {added.domain}" if added.domain else ""))


@app.command()
def remove(location: Location, domain: Domain = None) -> None:
    """Remove an added location. Tables below it are no longer read. Administrators only."""
    with open_client() as client:
        wanted = _absolute(location)
        ids = [each.id for each in client.locations() if each.location == wanted and each.domain == domain and each.id]
        if not ids:
            raise CliError(f"{wanted} was not added. List what was: treaty locations list")
        client.remove_location(ids[0])
    print(f"Removed: {wanted}")


def _absolute(location: str) -> str:
    """Return the canonical spelling of a location, and a local path from the root. Raises CliError."""
    is_relative_path = location.startswith(".") or ("/" in location and ":" not in location)
    try:
        return normalise(os.path.abspath(location) if is_relative_path else location)
    except UnusableLocation as error:
        raise CliError(f"The location {error}.") from None
