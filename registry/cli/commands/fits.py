"""The command of fits: which limits programs learned after their version was approved."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treaty.engine.cli.options import Json
from treaty.engine.core.number_format import figure
from treaty.registry.cli.commands import service
from treaty.registry.cli.commands.history import About, about

if TYPE_CHECKING:
    from treaty.registry import schemas

Check = Annotated[str | None, typer.Option(help="of the check of that id alone")]


def fits(contract: About, check: Check = None, as_json: Json = False) -> None:
    """Show the limits that programs of a contract's object learned after their approval, and which of them judge."""
    from pydantic import RootModel

    from treaty.registry import schemas

    with service.opened() as registry:
        found = registry.fits(*about(registry, contract), check)
    service.tell(RootModel[tuple[schemas.FitOut, ...]](tuple(found)), _show, as_json=as_json)


def _show(found: Any, console: Any) -> None:
    from rich.markup import escape
    from rich.table import Table

    if not found.root:
        console.print("no fit: programs judge by the limits that were approved")
        return
    table = Table("learned", "check", "limits", "from", "would have alarmed", "fit", "judges", box=None)
    for each in found.root:
        table.add_row(*map(escape, _cells(each)))
    console.print(table)


def _cells(of: "schemas.FitOut") -> tuple[str, ...]:
    edges = " to ".join("any" if edge is None else figure(edge) for edge in (of.lower, of.upper))
    since = f"{of.points} partitions to {of.last}"
    alarms = f"{len(of.alarms)} of {of.judged}"
    judges = "yes" if of.admitted else f"no: beyond version {of.version}"
    return f"{of.created:%Y-%m-%d %H:%M}", of.check_id, edges, since, alarms, of.name, judges
