"""The command that indexes what texts look like: of tables that are named, or of those that contracts are about."""

from typing import Annotated

import typer

from engine.cli import Stop
from engine.options import Format, Memory, Remote
from engine.patterns import cli
from registry.commands import service

Registered = Annotated[
    bool, typer.Option("--registered", help="have the service index the tables that contracts in force are about")
]
Tables = Annotated[list[str] | None, typer.Argument(help="paths, URLs or catalog tables", show_default=False)]


def index(
    tables: Tables = None, registered: Registered = False, lake: cli.LakeFolder = cli.HERE, forget: cli.Forget = False,
    rows: cli.Rows = 1000, format: Format = None, remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Add tables to the index of a lake; one that is in it already is replaced.

    With --registered the service does it, over its own index: a task, which `treaty tasks --kind learn` shows."""
    if bool(tables) == registered:
        raise Stop("name tables, or --registered, one of the two")
    if not registered:
        cli.index(tables or [], lake, forget, rows, format, remote, memory)
        return
    with service.opened() as treaty:
        task = treaty.learn_patterns()
    print(f"task {task.id}: patterns are learned from what contracts in force are about")
