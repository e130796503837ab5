"""Search the catalog."""

from typing import TYPE_CHECKING, Annotated

import typer

from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.cli.output.tables import print_table

if TYPE_CHECKING:
    from rich.console import Console

    from treaty.registry.schemas import CatalogPageOut

Words = Annotated[list[str] | None, typer.Argument(help="Words in names, columns, descriptions, owners or datasets")]
Owner = Annotated[str | None, typer.Option(help="Filter by owner")]
Domain = Annotated[str | None, typer.Option(help="Filter by domain")]
Tag = Annotated[str | None, typer.Option(help="Filter by tag")]
State = Annotated[str | None, typer.Option(help="Filter by state: active, proposed, deprecated, ...")]
Rebuild = Annotated[bool, typer.Option("--rebuild", help="Rebuild the search index in the configured database")]


def search(
    words: Words = None,
    owner: Owner = None,
    domain: Domain = None,
    tag: Tag = None,
    state: State = None,
    rebuild: Rebuild = False,
    as_json: Json = False,
) -> None:
    """Search contracts by words, or list them. The last word may be a prefix."""
    if rebuild:
        print(f"Indexed {_rebuilt():,} contracts.")
        return
    from treaty.registry.core.enums import LabelKind

    options = dict(zip(LabelKind, (owner, domain, tag, state), strict=True))
    labels = {kind: value for kind, value in options.items() if value is not None}
    with service.open_client() as registry:
        page = registry.search(" ".join(words or ()), labels=labels)
    service.print_result(page, _show, as_json=as_json)


def _rebuilt() -> int:
    from treaty.registry.browse import search as searching
    from treaty.registry.core.database import connect
    from treaty.registry.core.settings import load

    engine = connect(load().database)
    try:
        return searching.complete(engine, rebuild=True)
    finally:
        engine.dispose()


def _show(page: "CatalogPageOut", console: "Console") -> None:
    """Print a line per contract and the total."""
    headings = ("contract", "name", "version", "state", "owner", "domain")
    rows = [(e.id, e.name, e.version or "-", e.state, e.owner, e.domain or "-") for e in page.items]
    print_table(console, headings, rows, none="")
    console.print(f"\n{len(page.items)} of {page.total:,} contracts")
