"""Exact counts from the footers of Parquet files: how many rows, how many non-null values, without reading a value.

A second source of truth beside the scan, so only what the format states exactly is taken, and only where every file
states it; the rest is left to the scan, and where both counted the rows they must agree. A footer does not tell
whether the values behind it can be read: damage shows in a scan alone."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import unquote

from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.core.filesystems import open_filesystem
from treaty.engine.core.results import STATED
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.scan import separate_statements
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.scan.separate_statements import OtherDatasets
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states.bag import ComponentState, StateBag
from treaty.engine.states.planning.scan_plan import ROWS, Plan

READERS_AT_ONCE = 16


@dataclass(frozen=True)
class FooterCounts:
    """What footers tell of a plan: states by partition and component key, and the plan that is `remaining_plan` to
    read.

    Where something is left, the rows are counted again with it, to hold both sources against each other."""

    remaining_plan: Plan
    states: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def keys(self) -> frozenset[str]:
        """The components whose states come from footers."""
        return frozenset(key for found in self.states.values() for key in found)


@dataclass(frozen=True)
class ParquetFooter:
    """One file: its rows, and the non-null values of each column of its top level; None: not known exactly."""

    rows: int
    present: Mapping[str, int | None]

    def count(self, column: str | None) -> int | None:
        """How many rows (column None), or how many non-null values of the column; None where that is not known.

        A column that the file does not have is null in all its rows. Whether names that differ in case are one
        column is the session's choice, so of those nothing is known."""
        if column is None or not self.rows:
            return self.rows
        alike = [name for name in self.present if name.lower() == column.lower()]
        if not alike:
            return 0
        return self.present[column] if alike == [column] else None


def footer_counts(plan: Plan, location: str, files: Mapping[str, Sequence[str]], schema: Schema) -> FooterCounts:
    """What the footers of Parquet files tell of the plan. Where one cannot be read, nothing: the scan will say why.

    `location` is the table's path or URL, `files` all its files by partition, as paths in that filesystem. It must be
    a plain folder of Parquet: a table format's log may take rows away, and a catalog may give a new column a default
    where old files have none."""
    footers = _footers(location, files)
    counts = {part: _totals(footers, column) for part, column in _counting(plan.scan, schema, _folded(files))}
    told = {part: totals for part, totals in counts.items() if None not in totals.values()}
    if not footers or not told:
        return FooterCounts(plan)
    states = {name: {part.key: part.read((totals[name],)) for part, totals in told.items()} for name in footers}
    left = replace(plan, scan=tuple(part for part in plan.scan if part not in told))
    if left.scan or left.groupings or left.separate:
        return FooterCounts(replace(left, scan=(ROWS, *left.scan)), states)
    return FooterCounts(left, states)


def stated(plan: Plan, location: str, schema: Schema, *, partition_by: Sequence[str] = ()) -> FooterCounts:
    """What the files at a location tell of a frame that is said to be a plain reading of them.

    Rows are counted in any case: a frame of other rows is scanned. Raises Unreadable where nothing is there."""
    files = changes.layout(None, TableSource(location, "parquet", tuple(partition_by))).files
    told = footer_counts(plan, location, files, schema)
    return replace(told, remaining_plan=replace(told.remaining_plan, scan=told.remaining_plan.scan or (ROWS,)))


def scan_remaining(
    frame: Any,
    plan: Plan,
    known: FooterCounts,
    *,
    partition_by: Sequence[str] = (),
    expected: Sequence[str] = (),
    others: OtherDatasets = separate_statements.NONE,
) -> dict[str, StateBag]:
    """The bags that `scan` of the plan would give, with only what is left of it read. Raises as `scan` does.

    Where footers and scan counted other numbers of rows, the files changed meanwhile or a footer is wrong: then all is
    scanned."""
    reading = partial(scan, frame, partition_by=partition_by, expected=expected, others=others)
    if not known.remaining_plan.scan:
        schema = schema_of(frame)
        filled = (name for name, found in known.states.items() if found[ROWS.key] or name in expected)
        names = sorted(filled) if partition_by else [""]
        return {name: _joined(plan, StateBag({}, schema), known.states[name]) for name in names}
    scanned = reading(known.remaining_plan)
    if known.states and not _agree(known, scanned):
        return reading(plan)
    return {name: _joined(plan, bag, known.states.get(name, {})) for name, bag in scanned.items()}


def _agree(known: FooterCounts, scanned: Mapping[str, StateBag]) -> bool:
    told = {name: found[ROWS.key] for name, found in known.states.items()}
    return all(told.get(name, 0) == (scanned[name].rows if name in scanned else 0) for name in {*told, *scanned})


def _joined(plan: Plan, bag: StateBag, found: Mapping[str, Any]) -> StateBag:
    told = {
        part.key: ComponentState(component=part.component, value=found[part.key], source=STATED)
        for part in plan.scan
        if part.key in found
    }
    return StateBag({**told, **bag.entries}, bag.schema, bag.failures)


def _counting(
    parts: Sequence[BoundComponent], schema: Schema, folded: frozenset[str]
) -> Iterator[tuple[BoundComponent, str | None]]:
    """The components that are one count, of rows (None) or of a column's values, by the SQL they ask for."""
    columns: dict[tuple[str, ...], str | None] = {ROWS.aggregates: None}
    columns |= {(f"count({quote(name)})",): name for name in schema.names if name.lower() not in folded}
    return ((part, columns[part.aggregates]) for part in parts if part.aggregates in columns)


def _folded(files: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The columns whose values are names of folders: files do not hold them."""
    folders = {folder for paths in files.values() for path in paths for folder in path.split("/")[:-1]}
    return frozenset(unquote(folder.partition("=")[0]).lower() for folder in folders if "=" in folder)


def _totals(footers: Mapping[str, Sequence[ParquetFooter]], column: str | None) -> dict[str, int | None]:
    """The count of each partition; None where one of its files does not tell."""
    counts = {name: [each.count(column) for each in found] for name, found in footers.items()}
    return {name: None if None in found else sum(count or 0 for count in found) for name, found in counts.items()}


def _footers(location: str, files: Mapping[str, Sequence[str]]) -> dict[str, list[ParquetFooter]]:
    """The footers by partition; none at all where one of them cannot be read."""
    filesystem, _ = open_filesystem(location)
    with ThreadPoolExecutor(READERS_AT_ONCE) as readers:
        try:
            return {
                name: list(readers.map(partial(_footer, filesystem), sorted(paths))) for name, paths in files.items()
            }
        except (OSError, ValueError):
            return {}


def _footer(filesystem: Any, path: str) -> ParquetFooter:
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_metadata(path, filesystem=filesystem)
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    rows = sum(group.num_rows for group in groups)
    if rows != metadata.num_rows:
        raise ValueError("the footer's number of rows is not the sum of its row groups'")
    leaves = [(at, metadata.schema.column(at)) for at in range(metadata.num_columns)]
    names = metadata.schema.to_arrow_schema().names
    flat = {leaf.path: _present(groups, at, leaf) for at, leaf in leaves if _is_flat(leaf)}
    return ParquetFooter(rows, {name: flat.get(name) if names.count(name) == 1 else None for name in names})


def _is_flat(leaf: Any) -> bool:
    """A column of the top level that holds one value a row: of `a.b` in a struct, name and path differ."""
    return bool(leaf.name == leaf.path and leaf.max_repetition_level == 0)


def _present(groups: Sequence[Any], at: int, leaf: Any) -> int | None:
    counts = [_non_null(group, group.column(at), leaf) for group in groups]
    return None if None in counts else sum(count or 0 for count in counts)


def _non_null(group: Any, chunk: Any, leaf: Any) -> int | None:
    """The chunk's non-null values; None where it does not state its nulls or states what cannot be."""
    if leaf.max_definition_level == 0:
        return int(group.num_rows)
    stated = chunk.statistics if chunk.is_stats_set else None
    if stated is None or not stated.has_null_count or chunk.num_values != group.num_rows:
        return None
    return int(group.num_rows - stated.null_count) if 0 <= stated.null_count <= group.num_rows else None
