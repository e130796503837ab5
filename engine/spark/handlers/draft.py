"""A table's draft: the profile, one grouping for each column that may be unique and for those that go together, then
suggestions."""

from dataclasses import replace
from typing import Any

from treaty.contracts.document import computed_partitions
from treaty.contracts.document.classification import inherit
from treaty.contracts.document.reader import read as read_contract
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import skeleton
from treaty.contracts.schema import Schema
from treaty.engine.core.partitions import partition_names
from treaty.engine.profile.document import document
from treaty.engine.profile.table_profile import TableProfile
from treaty.engine.protocol.progress import ReportProgress, no_progress
from treaty.engine.protocol.requests import DraftRequest, DraftResult
from treaty.engine.spark.profile.patterns import suggested
from treaty.engine.spark.profile.profiler import ProfiledTable, history, opened
from treaty.engine.spark.profile.pseudo_partitions import as_one, split
from treaty.engine.spark.profile.references import references
from treaty.engine.spark.profile.row_sample import draw_rows
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan, plan
from treaty.engine.suggestions.declared import worth_counting
from treaty.engine.suggestions.kinds.column_group_search import column_groups, sampled_columns, with_group_counts
from treaty.engine.suggestions.selection.pipeline import suggest

# What is said of all rows together, which a sample of them does not tell.
OF_ALL_ROWS = frozenset({"row_count_band", "unique", "approx_count_distinct_band"})

NOTHING_SOUND = "every partition is left out, as those of incidents are: nothing was learned, and nothing is suggested"


def draft(session: Any, request: DraftRequest, tell: ReportProgress = no_progress) -> DraftResult:
    """The base document, the suggestions that held, and the profile. Raises Unreadable, EngineError."""
    return draft_opened(session, opened(session, request.profile), request, tell)


def draft_opened(session: Any, whole: ProfiledTable, request: DraftRequest, tell: ReportProgress) -> DraftResult:
    """Draft a table that is opened already. Raises Unreadable, EngineError."""
    table, sound = _sound(whole, request)
    if whole.names and not table.names:
        return _unlearned(whole, request, tell)
    table, parted = split(table, sound)
    found = _counted(table, history(table, parted.profile, tell), parted, tell)
    found, patterns = suggested(table, _with_column_groups(table, found, parted, tell), parted, tell)
    referring = references(session, table, found, parted, tell)
    tell("judging suggestions")
    over_time = parted.source.partition_by == request.source.partition_by
    suggestions = suggest(found, request.object, over_time=over_time, beside=[*patterns, *referring])
    told = [each for each in suggestions if found.sampled == 1 or each["kind"] not in OF_ALL_ROWS]
    told += _by_history(whole, request, tell)
    return DraftResult(
        document=write(_skeleton(request, table.schema)),
        suggestions=tuple(told),
        profile=document(found if over_time else as_one(found), request.object).model_dump(mode="json"),
    )


def _sound(table: ProfiledTable, request: DraftRequest) -> tuple[ProfiledTable, DraftRequest]:
    """The table and the request without the partitions that are spoilt."""
    by = request.source.partition_by
    spoilt = [
        name
        for name in request.excluded_partitions
        if tuple(partition_names.values(name)) == computed_partitions.names(by)
    ]
    if not (by and spoilt):
        return table, request
    names, wanted = (tuple(each for each in some if each not in spoilt) for some in (table.names, request.partitions))
    frame = partition_names.without(table.frame, by, spoilt)
    return replace(table, frame=frame, names=names), replace(request, partitions=wanted)


def _unlearned(table: ProfiledTable, request: DraftRequest, tell: ReportProgress) -> DraftResult:
    """The draft of a table of which every partition is spoilt: its columns and what they look like, no suggestion."""
    found = history(table, request.profile, tell)
    noted = replace(found, notes=(*found.notes, NOTHING_SOUND))
    profile = document(noted, request.object).model_dump(mode="json")
    return DraftResult(document=write(_skeleton(request, table.schema)), suggestions=(), profile=profile)


def _by_history(table: ProfiledTable, request: DraftRequest, tell: ReportProgress) -> list[dict[str, Any]]:
    """The clauses of the programs that are learned from the partitions; [] where none are wanted."""
    if request.alarms is None:
        return []
    from treaty.engine.programs.suggestions import suggestions
    from treaty.engine.spark.profile.programs import measured

    found = measured(table, request.source.partition_by, request.columns, frozenset(request.excluded_partitions), tell)
    tell("learning programs")
    return suggestions(found, request.object, request.alarms, request.refit)


def _skeleton(request: DraftRequest, schema: Schema) -> dict[str, Any]:
    drafted = skeleton(
        contract_id=request.contract_id,
        name=request.object,
        object_name=request.object,
        physical_name=request.source.location,
        schema=schema,
        partition_by=request.source.partition_by,
        aliases=request.aliases,
    )
    entries = read_contract(request.in_force).document["schema"] if request.in_force else ()
    for before in (each for each in entries if each.get("name") == request.object):
        inherit(drafted["schema"][0], before)
    return drafted


def _counted(table: ProfiledTable, found: TableProfile, request: DraftRequest, tell: ReportProgress) -> TableProfile:
    """The history with the exact counts of the values of columns that may be unique; as it is where rows were drawn."""
    counted = plan([column.unique for column in worth_counting(found, request.object) if column.unique])
    if found.sampled < 1 or not counted.groupings:
        return found
    tell(f"counting the values of {len(counted.groupings)} columns")
    return found.with_states(_scanned(table, counted, found, request))


def _with_column_groups(
    table: ProfiledTable, found: TableProfile, request: DraftRequest, tell: ReportProgress
) -> TableProfile:
    """The history with exact counts of columns that may promise something together; as it is where rows were drawn."""
    looked = [each.column.name for each in sampled_columns(found)]
    if found.sampled < 1 or not looked:
        return found
    tell("looking for columns that go together")
    rows = draw_rows(table.frame, looked, by=request.source.partition_by, rows=sum(found.rows))
    wanted = column_groups(found, rows, table.schema, request.object)
    if not wanted:
        return found
    tell(f"counting {len(wanted)} combinations of columns")
    counted = plan([each.measured for each in wanted])
    return with_group_counts(found, wanted, _scanned(table, counted, found, request))


def _scanned(table: ProfiledTable, counted: Plan, found: TableProfile, request: DraftRequest) -> dict[str, StateBag]:
    names = tuple(name for name, _ in found.partitions)
    return scan(table.frame, counted, partition_by=request.source.partition_by, expected=names)
