"""Texts of tables for learning patterns: a bounded uniform sample of their rows, which this process then reads.

Spark samples and cuts; nothing of ours runs in its executors."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.contracts.safe_regex import MAX_SUBJECT
from treaty.engine.components.operands import TEXT
from treaty.engine.core.errors import EngineError
from treaty.engine.core.partitions import partition_names
from treaty.engine.patterns.index_file import UnreadableIndex
from treaty.engine.patterns.lake_index import PatternLake
from treaty.engine.patterns.lake_sums import sample_evenly
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import TableProfile
from treaty.engine.protocol.progress import ReportProgress
from treaty.engine.protocol.requests import DraftRequest, LakeRequest, LakeTable, TableSource, TextsRequest
from treaty.engine.spark.profile.profiler import ProfiledTable
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import read, schema_of
from treaty.engine.states.planning.scan_plan import plan
from treaty.engine.suggestions.selection import learned_patterns
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate, learned

# More than is kept, so that a sample is hardly ever too small.
AMPLE = 1.5
SEED = 20_210_620
ROWS = 1000
# So many tables are added at once: adding sums up the whole lake, and their texts are held in memory.
BATCH_TABLES = 50
Texts = Mapping[str, tuple[str | None, ...]]


def texts(session: Any, request: TextsRequest) -> Texts:
    """The values of each text column in the rows that were drawn, in the order in which Spark reads them.

    A longer text than patterns look at is cut just beyond that, so that it is still too long. Raises Unreadable."""
    frame = read(session, request.source)
    names = [column.name for column in schema_of(frame) if column.base_type in TEXT]
    return _texts(frame, [name for name in names if name in request.columns or not request.columns], request.rows)


def learn(session: Any, request: LakeRequest, tell: ReportProgress) -> Mapping[str, Any]:
    """Brings the index of a lake up to date with the tables that it is to hold, and says how large it is.

    A table that is as it was is not read; one that cannot be read stays as it was and is named; others are
    forgotten. What somebody has forgotten while it was read stays so until it is learned again."""
    lake, unread = PatternLake(Path(request.folder)), []
    before = lake.table_versions()
    if gone := sorted(before.keys() - {each.name for each in request.tables}):
        lake.forget(gone)
    since = lake.forgotten()
    due = [each for each in request.tables if before.get(each.name) != each.as_of]
    for start in range(0, len(due), BATCH_TABLES):
        tell(f"table {start + 1} of {len(due)}")
        found = {each: _readable(session, each) for each in due[start : start + BATCH_TABLES]}
        unread += [each.name for each, columns in found.items() if columns is None]
        came = {each: columns for each, columns in found.items() if columns is not None}
        texts_of = {each.name: columns for each, columns in came.items()}
        lake.add(texts_of, {each.name: each.as_of for each in came}, since=since)
    sums = lake.index().sums if lake.table_versions() else None
    size = {"columns": sums.size, "patterns": len(sums)} if sums else {"columns": 0, "patterns": 0}
    return {"tables": len(lake.table_versions()), "read": len(due) - len(unread), **size, "unreadable": unread}


def _readable(session: Any, table: LakeTable) -> Mapping[str, list[str]] | None:
    """The texts of a table; None where it cannot be read."""
    try:
        frame = read(session, TableSource(table.location, table.format))
        names = [each.name for each in schema_of(frame) if each.base_type in TEXT and each.name in table.columns]
        found = _texts(frame, names, ROWS)
    except EngineError:
        return None
    return {name: [value for value in values if value is not None] for name, values in found.items()}


def suggested(
    table: ProfiledTable, found: TableProfile, request: DraftRequest, tell: ReportProgress
) -> tuple[TableProfile, list[HoldoutCandidate]]:
    """The history with the counts of what learned patterns say of the table, and the suggestions among them that hold;
    as it is where there is no lake to learn from."""
    index = _index(request.lake)
    columns = [each.column.name for each in found.columns if each.column.base_type in TEXT and not each.classified]
    if index is None or not columns:
        return found, []
    tell(f"learning patterns of {len(columns)} columns")
    made = learned_patterns.pattern_checks(
        found.columns, _texts(_older(table, found, request), columns, ROWS), index, table.schema
    )
    if not made:
        return found, []
    counts = plan([each.measured for each in made])
    names, by = tuple(name for name, _ in found.partitions), request.source.partition_by
    judged = found.with_states(scan(_same(table.frame, found), counts, partition_by=by, expected=names))
    return judged, learned_patterns.unbroken_suggestions(made, HistorySlice.of(judged))


def _index(folder: str | None) -> Any:
    try:
        return PatternLake(Path(folder)).index() if folder else None
    except UnreadableIndex:
        return None


def _older(table: ProfiledTable, found: TableProfile, request: DraftRequest) -> Any:
    """The rows of the partitions that are learned from."""
    by, names = request.source.partition_by, [name for name, _ in found.partitions]
    return partition_names.only(table.frame, by, names[: learned(found)]) if by and names else table.frame


def _same(frame: Any, found: TableProfile) -> Any:
    """As many of the rows as the profile read."""
    return frame if found.sampled >= 1 else frame.sample(found.sampled, seed=SEED)


def _texts(frame: Any, wanted: Sequence[str], most: int) -> Texts:
    if not wanted:
        return {}
    cut = [f"left(cast({quote(name)} as string), {MAX_SUBJECT + 1}) as c{at}" for at, name in enumerate(wanted)]
    rows = sample_evenly(_sample_rows(frame.selectExpr(*cut), most), most)
    return {name: tuple(row[at] for row in rows) for at, name in enumerate(wanted)}


def _sample_rows(frame: Any, most: int) -> list[Any]:
    count = frame.count()
    return frame.collect() if count <= most else _sampled(frame, AMPLE * most / count)


def _sampled(frame: Any, share: float) -> list[Any]:
    return (frame if share >= 1 else frame.sample(fraction=share, seed=SEED)).collect()  # type: ignore[no-any-return]
