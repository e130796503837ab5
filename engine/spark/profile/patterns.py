"""Sample texts of tables for pattern learning.

Spark draws a bounded uniform sample and truncates the texts; this process reads them. No Python code runs in
executors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from treaty.contracts.limits.regex_cost import MAX_SUBJECT
from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import TEXT
from treaty.engine.core.errors import EngineError
from treaty.engine.core.learning_options import PatternOptions
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
from treaty.engine.suggestions.choices import patterns as pattern_choices
from treaty.engine.suggestions.choices.outcomes import ChoiceOutcome
from treaty.engine.suggestions.selection import learned_patterns
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate, learned
from treaty.engine.suggestions.selection.learned_patterns import PatternCheck

# Oversampling, so that a sample is hardly ever too small.
AMPLE = 1.5
SEED = 20_210_620
ROWS = 1000
# Tables added at once: each addition merges the whole lake's sums, and the texts are in memory.
BATCH_TABLES = 50
Texts = Mapping[str, tuple[str | None, ...]]


def texts(session: Any, request: TextsRequest) -> Texts:
    """Return the sampled values of each text column, in the order of reading.

    A text longer than the pattern limit is cut one character beyond it, so that it remains too long. Raises
    UnreadableTable."""
    frame = read(session, request.source)
    names = [column.name for column in schema_of(frame) if column.base_type in TEXT]
    return _texts(frame, [name for name in names if name in request.columns or not request.columns], request.rows)


def learn(session: Any, request: LakeRequest, report_progress: ReportProgress) -> Mapping[str, Any]:
    """Update the index of a lake with the requested tables and return its size.

    Unchanged tables are not read. A table that cannot be read keeps its index entry and is listed as unreadable. Tables
    that are no longer requested are removed. A table removed by someone else meanwhile stays removed until the next
    learning."""
    lake, unread = PatternLake(Path(request.folder)), []
    before = lake.table_versions()
    if gone := sorted(before.keys() - {each.name for each in request.tables}):
        lake.forget(gone)
    since = lake.forgotten()
    due = [each for each in request.tables if before.get(each.name) != each.as_of]
    for start in range(0, len(due), BATCH_TABLES):
        report_progress(f"table {start + 1} of {len(due)}")
        texts_by_table = {each: _readable(session, each) for each in due[start : start + BATCH_TABLES]}
        unread += [each.name for each, columns in texts_by_table.items() if columns is None]
        readable = {each: columns for each, columns in texts_by_table.items() if columns is not None}
        texts_of = {each.name: columns for each, columns in readable.items()}
        lake.add(texts_of, {each.name: each.as_of for each in readable}, since=since)
    sums = lake.index().sums if lake.table_versions() else None
    size = {"columns": sums.size, "patterns": len(sums)} if sums else {"columns": 0, "patterns": 0}
    return {"tables": len(lake.table_versions()), "read": len(due) - len(unread), **size, "unreadable": unread}


def _readable(session: Any, table: LakeTable) -> Mapping[str, list[str]] | None:
    """Return the texts of a table; None if it cannot be read."""
    try:
        frame = read(session, TableSource(table.location, table.format, rules=table.rules))
        names = [each.name for each in schema_of(frame) if each.base_type in TEXT and each.name in table.columns]
        samples = _texts(frame, names, ROWS)
    except EngineError:
        return None
    return {name: [value for value in values if value is not None] for name, values in samples.items()}


@dataclass(frozen=True)
class PatternDraft:
    """The profile with conformity counts, the unbroken suggestions, and outcomes of other options."""

    profile: TableProfile
    candidates: Sequence[HoldoutCandidate] = ()
    choices: Sequence[ChoiceOutcome] = ()


def suggested(
    table: ProfiledTable, profile: TableProfile, request: DraftRequest, report_progress: ReportProgress
) -> PatternDraft:
    """Suggest learned patterns; without a lake to learn from, none, and the profile is unchanged."""
    index = _index(request.lake)
    columns = [each.column.name for each in profile.columns if each.column.base_type in TEXT and not each.classified]
    if index is None or not columns:
        return PatternDraft(profile)
    report_progress(f"learning patterns of {len(columns)} columns")
    texts = _texts(_older(table, profile, request), columns, ROWS)

    @cache
    def checks_of(options: PatternOptions) -> list[PatternCheck]:
        return learned_patterns.pattern_checks(profile.columns, texts, index, table.schema, options)

    chosen, least = request.patterns, index.least_columns
    trials = pattern_choices.trials(checks_of, chosen, least=least, columns=len(texts)) if request.compare else []
    every = [*checks_of(chosen), *(each for trial in trials for each in trial.checks)]
    profiled = _with_counts(table, profile, request, every) if every else profile
    unbroken = learned_patterns.unbroken_suggestions(checks_of(chosen), HistorySlice.of(profiled))
    return PatternDraft(profiled, unbroken, [each.outcome(profiled.partitions[learned(profile) :]) for each in trials])


def _with_counts(
    table: ProfiledTable, profile: TableProfile, request: DraftRequest, checks: Sequence[PatternCheck]
) -> TableProfile:
    """Add the conformity counts of all checks, in one scan."""
    counts = plan([each.measured for each in checks])
    names, by = tuple(name for name, _ in profile.partitions), request.source.partition_by
    return profile.with_states(scan(_same(table.frame, profile), counts, partition_by=by, expected=names))


def _index(folder: str | None) -> Any:
    try:
        return PatternLake(Path(folder)).index() if folder else None
    except UnreadableIndex:
        return None


def _older(table: ProfiledTable, profile: TableProfile, request: DraftRequest) -> Any:
    """Return the rows of the partitions that patterns are learned from."""
    by, names = request.source.partition_by, [name for name, _ in profile.partitions]
    return partition_names.only(table.frame, by, names[: learned(profile)]) if by and names else table.frame


def _same(frame: Any, profile: TableProfile) -> Any:
    """Sample as many rows as the profile read."""
    return frame if profile.sampled >= 1 else frame.sample(profile.sampled, seed=SEED)


def _texts(frame: Any, columns: Sequence[str], most: int) -> Texts:
    if not columns:
        return {}
    cut = [f"left(cast({quote(name)} as string), {MAX_SUBJECT + 1}) as c{at}" for at, name in enumerate(columns)]
    rows = sample_evenly(_sample_rows(frame.selectExpr(*cut), most), most)
    return {name: tuple(row[at] for row in rows) for at, name in enumerate(columns)}


def _sample_rows(frame: Any, most: int) -> list[Any]:
    count = frame.count()
    return frame.collect() if count <= most else _sampled(frame, AMPLE * most / count)


def _sampled(frame: Any, share: float) -> list[Any]:
    return (frame if share >= 1 else frame.sample(fraction=share, seed=SEED)).collect()  # type: ignore[no-any-return]
