"""Search the catalog."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service

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
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("contract", "name", "version", "state", "owner", "domain"):
        table.add_column(heading, overflow="fold")
    for each in page.items:
        table.add_row(
            *map(_shown, (each.id, each.name, each.version or "-", each.state, each.owner, each.domain or "-"))
        )
    console.print(table)
    console.print(f"\n{len(page.items)} of {page.total:,} contracts")


def _shown(text: Any) -> str:
    from rich.markup import escape

    from treaty.engine.core.number_format import visible

    return escape(visible(str(text)))
