"""Commands for connections to metadata catalogs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.cli.output.tables import console, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treaty.registry.schemas.catalogs import CatalogConnectionOut, CatalogTestStepOut

app = typer.Typer(name="catalogs", no_args_is_help=True, help="Manage connections to metadata catalogs.")
ConnectionName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the connection", show_default=False)]
KIND = typer.Argument(metavar="KIND", help="Kind of catalog: iceberg, or one of a plug-in", show_default=False)
Address = Annotated[str, typer.Argument(metavar="URL", help="URL of the catalog", show_default=False)]
Secret = Annotated[
    str | None,
    typer.Option(help="Name of the secret on the service's machine: `env:TREATY_CATALOG_NAME` or `file:NAME`"),
]
Option = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Option of the kind; repeatable")
]
Namespace = Annotated[
    list[str] | None,
    typer.Option(
        "--namespace",
        metavar="PREFIX=NAMESPACE",
        help="Lineage namespace of the tables below a prefix of the catalog; repeatable; =NAMESPACE for all",
    ),
]
Private = Annotated[bool, typer.Option("--private", help="Allow an address in a private network")]


@app.command()
def add(
    name: ConnectionName,
    kind: Annotated[str, KIND],
    address: Address,
    secret: Secret = None,
    option: Option = None,
    namespace: Namespace = None,
    private: Private = False,
) -> None:
    """Add a connection and test it. Its tables are read within a minute. Administrators only."""
    from pydantic import ValidationError

    from treaty.registry.schemas.catalogs import CatalogConnectionIn

    fields: dict[str, Any] = {"name": name, "kind": kind, "address": address, "secret": secret, "private": private}
    fields |= {"options": _pairs(option or ()), "namespaces": _pairs(namespace or ())}
    try:
        body = CatalogConnectionIn(**fields)
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_input=False))
        raise CliError("\n".join(faults)) from None
    with service.open_client() as registry:
        registry.add_catalog(body)
        steps = registry.test_catalog(name)
    print(f"Added: {name}")
    _print_steps(steps)


@app.command()
def test(name: ConnectionName) -> None:
    """Test a connection step by step. Stores nothing; exits with 1 if a step fails. Administrators only."""
    with service.open_client() as registry:
        steps = registry.test_catalog(name)
    _print_steps(steps)
    if not all(each.ok for each in steps):
        raise typer.Exit(1)


@app.command("list")
def show(as_json: Json = False) -> None:
    """List the connections with their health. Administrators only."""
    from treaty.registry import schemas
    from treaty.registry.schemas.catalogs import CatalogConnectionOut

    with service.open_client() as registry:
        page = schemas.Page[CatalogConnectionOut](items=tuple(registry.catalogs()))
    service.print_result(page, lambda page, on: _print_connections(page.items, on), as_json=as_json)


@app.command()
def status(name: ConnectionName, as_json: Json = False) -> None:
    """Show a connection: its settings, its health and its next read. Administrators only."""
    with service.open_client() as registry:
        connection = registry.catalog_connection(name)
    service.print_result(connection, _print_connection, as_json=as_json)


@app.command()
def read(name: ConnectionName) -> None:
    """Read a catalog now and print the task's id. Administrators only."""
    with service.open_client() as registry:
        task = registry.read_catalog(name)
    print(f"{task.id}  follow it with: treaty catalogs status {name}")


@app.command()
def remove(name: ConnectionName) -> None:
    """Remove a connection with all that was read from it. Administrators only."""
    with service.open_client() as registry:
        registry.remove_catalog(name)
    print(f"Removed: {name}")


def _pairs(words: "Iterable[str]") -> dict[str, str]:
    """Return the values by name. Raises CliError."""
    pairs = [each.partition("=") for each in words]
    if wrong := [name for name, sign, _ in pairs if not sign]:
        raise CliError(f"{wrong[0]} has no value: write NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _print_steps(steps: "Sequence[CatalogTestStepOut]") -> None:
    rows = [(each.name, "ok" if each.ok else "failed", each.detail) for each in steps]
    print_table(console(), ("step", "result", "detail"), rows)


def _print_connections(connections: "Sequence[CatalogConnectionOut]", on: Any) -> None:
    rows = [(e.name, e.kind, e.address, e.state.value, str(e.tables), e.error or "") for e in connections]
    headings = ("name", "kind", "address", "state", "tables", "error")
    print_table(on, headings, rows, none="No connections yet. Add one with: treaty catalogs add NAME KIND URL")


def _print_connection(connection: "CatalogConnectionOut", on: Any) -> None:
    fields = connection.model_dump(mode="json", exclude={"id", "etag"})
    rows = [(name.replace("_", " "), _text(value)) for name, value in fields.items()]
    print_table(on, ("field", "value"), rows)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={each}" for name, each in value.items() if each)
    return ", ".join(value) if isinstance(value, list) else "" if value is None else str(value)
