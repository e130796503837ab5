"""Commands about what texts look like: in a lake of tables that are named, or in the service's, of those that
contracts are about."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from engine.cli import Stop
from engine.options import Format, Json, Memory, Remote
from engine.patterns import cli
from registry.commands import service

Registered = Annotated[
    bool, typer.Option("--registered", help="have the service index the tables that contracts in force are about")
]
Served = Annotated[
    bool, typer.Option("--registered", help="ask the service, whose index is of what contracts are about")
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


def top(
    lake: cli.LakeFolder = cli.HERE, registered: Served = False, limit: cli.Few = 20, as_json: Json = False
) -> None:
    """Show the common domains of the lake: patterns of many columns that are nearly all of them."""
    if not registered:
        cli.top(lake, limit, as_json)
        return
    with service.opened() as treaty:
        found = treaty.patterns(limit)
    cli.listed([each.model_dump() for each in found], _domain, as_json=as_json)


def find(
    pattern: cli.Wanted, lake: cli.LakeFolder = cli.HERE, registered: Served = False, as_json: Json = False
) -> None:
    """Find the columns of the lake that carry a pattern."""
    if not registered:
        cli.find(pattern, lake, as_json)
        return
    with service.opened() as treaty:
        found = treaty.carriers(pattern).carriers
    cli.listed([each.model_dump() for each in found], _carrier, as_json=as_json)


def _domain(each: Mapping[str, Any]) -> str:
    return cli.common(each["columns"], each["impurity"], each["pattern"], each["name"])


def _carrier(each: Mapping[str, Any]) -> str:
    return f"{each['contract_id']}.{each['object']}  {each['column']}  {1 - each['impurity']:.1%}"
