"""Read exact counts of rows and non-null values from Parquet footers, without reading a value.

Only counts that the format states exactly, in every file, are used; the scan computes the rest. If both counted rows,
they must agree. Footers do not show whether the values can be read: only a scan detects damage."""

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
    """The states that footers provide, and the rest of the plan.

    `remaining_plan`: components left for the scan; if there are any, rows are counted again to compare both sources.
    `states`: by partition and component key."""

    remaining_plan: Plan
    states: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def keys(self) -> frozenset[str]:
        """Return the keys of the components whose states come from footers."""
        return frozenset(key for counts in self.states.values() for key in counts)


@dataclass(frozen=True)
class ParquetFooter:
    """One file's number of rows and non-null values per top-level column; None if not known exactly."""

    rows: int
    present: Mapping[str, int | None]

    def count(self, column: str | None) -> int | None:
        """Return the number of rows (column None) or of the column's non-null values; None if unknown.

        A column that the file lacks is null in all its rows. Whether names that differ in case are one column
        depends on the session, so their counts are unknown."""
        if column is None or not self.rows:
            return self.rows
        same_name = [name for name in self.present if name.lower() == column.lower()]
        if not same_name:
            return 0
        return self.present[column] if same_name == [column] else None


def footer_counts(plan: Plan, location: str, files: Mapping[str, Sequence[str]], schema: Schema) -> FooterCounts:
    """Return the states of the plan that footers provide; none if a footer cannot be read: the scan reports the reason.

    `location`: path or URL of the table. `files`: all its files by partition, as paths in that filesystem. The table
    must be a plain folder of Parquet: a table format's log may remove rows, and a catalog may define a default for a
    column that old files lack."""
    footers = _footers(location, files)
    counts = {part: _totals(footers, column) for part, column in _counting(plan.scan, schema, _folded(files))}
    complete = {part: totals for part, totals in counts.items() if None not in totals.values()}
    if not footers or not complete:
        return FooterCounts(plan)
    states = {name: {part.key: part.read((totals[name],)) for part, totals in complete.items()} for name in footers}
    remaining = replace(plan, scan=tuple(part for part in plan.scan if part not in complete))
    if remaining.scan or remaining.groupings or remaining.separate:
        return FooterCounts(replace(remaining, scan=(ROWS, *remaining.scan)), states)
    return FooterCounts(remaining, states)


def stated(plan: Plan, location: str, schema: Schema, *, partition_by: Sequence[str] = ()) -> FooterCounts:
    """Return the footer counts of a frame declared to read the files unchanged.

    Rows are always counted: a frame with other rows is scanned. Raises UnreadableTable if there are no files."""
    files = changes.layout(None, TableSource(location, "parquet", tuple(partition_by))).files
    footers = footer_counts(plan, location, files, schema)
    return replace(footers, remaining_plan=replace(footers.remaining_plan, scan=footers.remaining_plan.scan or (ROWS,)))


def scan_remaining(
    frame: Any,
    plan: Plan,
    footer_counts: FooterCounts,
    *,
    partition_by: Sequence[str] = (),
    expected: Sequence[str] = (),
    other_datasets: OtherDatasets = separate_statements.NONE,
) -> dict[str, StateBag]:
    """Return the bags that `scan` would return, but scan only what footers do not provide. Raises as `scan`.

    If footers and scan disagree on the number of rows, the files changed meanwhile or a footer is wrong: everything is
    scanned."""
    reading = partial(scan, frame, partition_by=partition_by, expected=expected, other_datasets=other_datasets)
    if not footer_counts.remaining_plan.scan:
        schema = schema_of(frame)
        filled = (name for name, counts in footer_counts.states.items() if counts[ROWS.key] or name in expected)
        names = sorted(filled) if partition_by else [""]
        return {name: _joined(plan, StateBag({}, schema), footer_counts.states[name]) for name in names}
    scanned = reading(footer_counts.remaining_plan)
    if footer_counts.states and not _agree(footer_counts, scanned):
        return reading(plan)
    return {name: _joined(plan, bag, footer_counts.states.get(name, {})) for name, bag in scanned.items()}


def _agree(counts: FooterCounts, scanned: Mapping[str, StateBag]) -> bool:
    footer_rows = {name: footer_states[ROWS.key] for name, footer_states in counts.states.items()}
    return all(
        footer_rows.get(name, 0) == (scanned[name].rows if name in scanned else 0) for name in {*footer_rows, *scanned}
    )


def _joined(plan: Plan, bag: StateBag, values: Mapping[str, Any]) -> StateBag:
    footer_states = {
        part.key: ComponentState(component=part.component, value=values[part.key], source=STATED)
        for part in plan.scan
        if part.key in values
    }
    return StateBag({**footer_states, **bag.entries}, bag.schema, bag.failures)


def _counting(
    parts: Sequence[BoundComponent], schema: Schema, folded: frozenset[str]
) -> Iterator[tuple[BoundComponent, str | None]]:
    """Return the components that are a single count, recognized by their SQL.

    Each comes with the counted column; None counts rows."""
    columns: dict[tuple[str, ...], str | None] = {ROWS.aggregates: None}
    columns |= {(f"count({quote(name)})",): name for name in schema.names if name.lower() not in folded}
    return ((part, columns[part.aggregates]) for part in parts if part.aggregates in columns)


def _folded(files: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the columns whose values are folder names and not in the files."""
    folders = {folder for paths in files.values() for path in paths for folder in path.split("/")[:-1]}
    return frozenset(unquote(folder.partition("=")[0]).lower() for folder in folders if "=" in folder)


def _totals(footers: Mapping[str, Sequence[ParquetFooter]], column: str | None) -> dict[str, int | None]:
    """Return the count of each partition; None if one of its files does not state it."""
    counts = {name: [each.count(column) for each in values] for name, values in footers.items()}
    return {name: None if None in values else sum(count or 0 for count in values) for name, values in counts.items()}


def _footers(location: str, files: Mapping[str, Sequence[str]]) -> dict[str, list[ParquetFooter]]:
    """Read the footers by partition; none at all if one of them cannot be read."""
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
    """Return True for a top-level column with one value per row: for `a.b` in a struct, name and path differ."""
    return bool(leaf.name == leaf.path and leaf.max_repetition_level == 0)


def _present(groups: Sequence[Any], at: int, leaf: Any) -> int | None:
    counts = [_non_null(group, group.column(at), leaf) for group in groups]
    return None if None in counts else sum(count or 0 for count in counts)


def _non_null(group: Any, chunk: Any, leaf: Any) -> int | None:
    """Return the chunk's non-null values; None if its null count is missing or impossible."""
    if leaf.max_definition_level == 0:
        return int(group.num_rows)
    column_statistics = chunk.statistics if chunk.is_stats_set else None
    if column_statistics is None or not column_statistics.has_null_count or chunk.num_values != group.num_rows:
        return None
    return (
        int(group.num_rows - column_statistics.null_count)
        if 0 <= column_statistics.null_count <= group.num_rows
        else None
    )
