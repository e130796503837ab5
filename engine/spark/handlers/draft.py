"""Draft a contract for a table.

Steps: profile, exact counts of columns that may be unique and of column groups, suggestions."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
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
from treaty.engine.spark.profile.profiler import ProfiledTable, history, opened, refuse_unknown
from treaty.engine.spark.profile.pseudo_partitions import as_one, split
from treaty.engine.spark.profile.references import references
from treaty.engine.spark.profile.row_sample import draw_rows
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan, plan
from treaty.engine.suggestions.choices.outcomes import ChoiceOutcome
from treaty.engine.suggestions.declared import worth_counting
from treaty.engine.suggestions.keys.candidates import KeyNames
from treaty.engine.suggestions.keys.model_store import resolve
from treaty.engine.suggestions.kinds.column_group_search import column_groups, sampled_columns, with_group_counts
from treaty.engine.suggestions.selection.pipeline import suggest
from treaty.engine.suggestions.selection.volume import with_volume

# Suggestions about all rows together, which a sample does not support.
OF_ALL_ROWS = frozenset({"row_count_band", "unique", "approx_count_distinct_band"})

NOTHING_SOUND = "every partition is excluded, as partitions with incidents are: no checks are suggested"


def draft(session: Any, request: DraftRequest, report_progress: ReportProgress = no_progress) -> DraftResult:
    """Return the base document, the suggestions that held and the profile. Raises UnreadableTable, EngineError."""
    return draft_opened(session, opened(session, request.profile), request, report_progress)


def draft_opened(
    session: Any, whole: ProfiledTable, request: DraftRequest, report_progress: ReportProgress
) -> DraftResult:
    """Draft a table that is already open. Raises UnreadableTable, EngineError."""
    if request.refuse_unknown_exclusions and request.excluded_partitions:
        refuse_unknown("partition", request.excluded_partitions, whole.names or _names_in_rows(whole, request))
    table, sound = _sound(whole, request)
    if whole.names and not table.names:
        return _unlearned(whole, request, report_progress)
    table, parted = split(table, sound)
    key_model = resolve(request.key_model)
    names = KeyNames(request.object, key_model.model)
    profiled = _counted(table, history(table, parted.profile, report_progress), parted, names, report_progress)
    grouped = _with_column_groups(table, profiled, parted, names, report_progress)
    patterns = suggested(table, grouped, parted, report_progress)
    profiled = patterns.profile
    reference_checks = references(session, table, profiled, parted, report_progress)
    report_progress("selecting suggestions")
    over_time = parted.source.partition_by == request.source.partition_by
    suggestions = suggest(
        profiled,
        request.object,
        over_time=over_time,
        candidates=[*patterns.candidates, *reference_checks],
        model=key_model.model,
    )
    suggested_checks = [each for each in suggestions if profiled.sampled == 1 or each["kind"] not in OF_ALL_ROWS]
    by_history = _by_history(whole, request, report_progress)
    suggested_checks += by_history.clauses
    profiled = replace(profiled, notes=(*profiled.notes, *by_history.notes, *key_model.notes))
    if profiled.sampled == 1 and over_time:
        suggested_checks = with_volume(suggested_checks, profiled, request.object)
    return DraftResult(
        document=write(_skeleton(request, table.schema)),
        suggestions=tuple(suggested_checks),
        profile=document(profiled if over_time else as_one(profiled), request.object).model_dump(mode="json"),
        choices=tuple(asdict(each) for each in (*by_history.choices, *patterns.choices)),
    )


def _names_in_rows(table: ProfiledTable, request: DraftRequest) -> tuple[str, ...]:
    """Read the partitions from the rows of a table whose files do not show them."""
    by = request.source.partition_by
    rows = table.frame.selectExpr(*partition_names.keys(by)).distinct().collect()
    return tuple(sorted(partition_names.name(computed_partitions.names(by), tuple(row)) for row in rows))


def _sound(table: ProfiledTable, request: DraftRequest) -> tuple[ProfiledTable, DraftRequest]:
    """Return the table and the request without excluded partitions."""
    by = request.source.partition_by
    spoilt = [
        name
        for name in request.excluded_partitions
        if tuple(partition_names.values(name)) == computed_partitions.names(by)
    ]
    if not (by and spoilt):
        return table, request
    names, partitions = (
        tuple(each for each in some if each not in spoilt) for some in (table.names, request.partitions)
    )
    frame = partition_names.without(table.frame, by, spoilt)
    return replace(table, frame=frame, names=names), replace(request, partitions=partitions)


def _unlearned(table: ProfiledTable, request: DraftRequest, report_progress: ReportProgress) -> DraftResult:
    """Return the draft of a table whose partitions are all excluded: columns and profile, no suggestions."""
    profiled = history(table, request.profile, report_progress)
    noted = replace(profiled, notes=(*profiled.notes, NOTHING_SOUND))
    profile = document(noted, request.object).model_dump(mode="json")
    return DraftResult(document=write(_skeleton(request, table.schema)), suggestions=(), profile=profile)


@dataclass(frozen=True)
class HistoryDraft:
    """Clauses of learned programs, notes on their budget, and outcomes of other options."""

    clauses: Sequence[dict[str, Any]] = ()
    notes: tuple[str, ...] = ()
    choices: tuple[ChoiceOutcome, ...] = ()


def _by_history(table: ProfiledTable, request: DraftRequest, report_progress: ReportProgress) -> HistoryDraft:
    """Learn programs; empty if the request wants none."""
    if request.programs is None:
        return HistoryDraft()
    from treaty.engine.programs.explanations import budget_notes
    from treaty.engine.programs.suggestions import programs, suggested_clauses
    from treaty.engine.spark.profile.programs import measured
    from treaty.engine.suggestions.choices.programs import program_choices

    options, excluded_partitions = request.programs, frozenset(request.excluded_partitions)
    table_history = measured(
        table, request.source.partition_by, request.columns, excluded_partitions, options.history, report_progress
    )
    report_progress("learning programs")
    learned = programs(table_history, options)
    choices = program_choices(table_history, options, learned, report_progress) if request.compare else ()
    return HistoryDraft(
        clauses=suggested_clauses(learned, table_history, request.object, options.refit),
        notes=budget_notes(learned, table_history.histories),
        choices=tuple(choices),
    )


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


def _counted(
    table: ProfiledTable, profile: TableProfile, request: DraftRequest, names: KeyNames, report_progress: ReportProgress
) -> TableProfile:
    """Add exact value counts of columns that may be unique; return the profile unchanged if rows were sampled."""
    counted = plan([column.unique for column in worth_counting(profile, names) if column.unique])
    if profile.sampled < 1 or not counted.groupings:
        return profile
    report_progress(f"counting distinct values of {len(counted.groupings)} columns")
    return profile.with_states(_scanned(table, counted, profile, request))


def _with_column_groups(
    table: ProfiledTable, profile: TableProfile, request: DraftRequest, names: KeyNames, report_progress: ReportProgress
) -> TableProfile:
    """Add exact counts of candidate column groups; return the profile unchanged if rows were sampled."""
    columns = [each.column.name for each in sampled_columns(profile)]
    if profile.sampled < 1 or not columns:
        return profile
    report_progress("searching for related columns")
    rows = draw_rows(table.frame, columns, by=request.source.partition_by, rows=sum(profile.rows))
    groups = column_groups(profile, rows, table.schema, names)
    if not groups:
        return profile
    report_progress(f"counting {len(groups)} column combinations")
    counted = plan([each.measured for each in groups])
    return with_group_counts(profile, groups, _scanned(table, counted, profile, request))


def _scanned(table: ProfiledTable, counted: Plan, profile: TableProfile, request: DraftRequest) -> dict[str, StateBag]:
    names = tuple(name for name, _ in profile.partitions)
    return scan(table.frame, counted, partition_by=request.source.partition_by, expected=names)
