"""Commands for text patterns, in a local lake index or in the registry's index."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from treaty.engine.cli import patterns
from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Format, Json, Memory, Remote
from treaty.engine.core.number_format import percentage
from treaty.registry.cli.commands import service

Registered = Annotated[bool, typer.Option("--registry", help="Have the service index the tables of contracts in force")]
Served = Annotated[bool, typer.Option("--registry", help="Use the service's index of tables with contracts")]
Tables = Annotated[list[str] | None, typer.Argument(help="Paths, URLs or catalog tables", show_default=False)]


def index(
    tables: Tables = None, from_registry: Registered = False, lake: patterns.LakeFolder = patterns.HERE,
    remove: patterns.Remove = False, rows: patterns.Rows = 1000, format: Format = None, remote: Remote = None,
    memory: Memory = "2g",
) -> None:  # fmt: skip
    """Index tables of a lake. Tables that are already indexed are replaced.

    With --registry, the service indexes the tables of contracts in force as a task; see `treaty tasks --kind learn`."""
    if bool(tables) == from_registry:
        raise CliError("Give either tables or --registry.")
    if not from_registry:
        patterns.index(tables or [], lake, remove, rows, format, remote, memory)
        return
    with service.open_client() as treaty:
        task = treaty.learn_patterns()
    print(f"Task {task.id}: indexing the tables of contracts in force")


def top(
    lake: patterns.LakeFolder = patterns.HERE,
    from_registry: Served = False,
    limit: patterns.Few = 20,
    as_json: Json = False,
) -> None:
    """Show the common domains of the lake: patterns that match nearly all values of many columns."""
    if not from_registry:
        patterns.top(lake, limit, as_json)
        return
    with service.open_client() as treaty:
        items = treaty.patterns(limit)
    patterns.print_items([each.model_dump() for each in items], _domain, as_json=as_json)


def find(
    pattern: patterns.PatternArgument,
    lake: patterns.LakeFolder = patterns.HERE,
    from_registry: Served = False,
    as_json: Json = False,
) -> None:
    """Find the columns of the lake that match a pattern."""
    if not from_registry:
        patterns.find(pattern, lake, as_json)
        return
    with service.open_client() as treaty:
        columns = treaty.pattern_columns(pattern).columns
    patterns.print_items([each.model_dump() for each in columns], _carrier, as_json=as_json)


def _domain(each: Mapping[str, Any]) -> str:
    return patterns.common(each["columns"], each["impurity"], each["pattern"], each["name"])


def _carrier(each: Mapping[str, Any]) -> str:
    return f"{each['contract_id']}.{each['object']}  {each['column']}  {percentage(1 - each['impurity'])}"
