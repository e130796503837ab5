"""A table's draft: the profile, one grouping for each column that may be unique, then suggestions."""

from typing import Any

from contracts.changes import skeleton
from contracts.classification import inherit
from contracts.logical_types import Schema
from contracts.reading import read as read_contract
from contracts.writing import write
from engine.plan import plan
from engine.profile.document import document
from engine.profile.holdout import suggest
from engine.profile.profile import History
from engine.profile.suggestions import worth_counting
from engine.progress import Tell, silent
from engine.requests import Drafted, DraftRequest
from engine.spark.patterns import suggested
from engine.spark.profile import Opened, history, opened
from engine.spark.scan import scan

# What is said of all rows together, which a sample of them does not tell.
OF_ALL_ROWS = frozenset({"row_count_band", "unique", "approx_count_distinct_band"})


def draft(session: Any, request: DraftRequest, tell: Tell = silent) -> Drafted:
    """The base document, the suggestions that held, and the profile. Raises Unreadable, EngineError."""
    table = opened(session, request.profile)
    found = _counted(table, history(table, request.profile, tell), request, tell)
    found, patterns = suggested(table, found, request, tell)
    tell("judging suggestions")
    suggestions = suggest(found, request.object, beside=patterns)
    told = [each for each in suggestions if found.sampled == 1 or each["kind"] not in OF_ALL_ROWS]
    told += _by_history(table, request, tell)
    return Drafted(
        document=write(_skeleton(request, table.schema)),
        suggestions=tuple(told),
        profile=document(found, request.object).model_dump(mode="json"),
    )


def _by_history(table: Opened, request: DraftRequest, tell: Tell) -> list[dict[str, Any]]:
    """The clauses of the programs that are learned from the partitions; [] where none are wanted."""
    if request.alarms is None:
        return []
    from engine.avh.drafting import suggestions
    from engine.spark.programs import measured

    found = measured(table, request.source.partition_by, request.columns, tell)
    tell("learning programs")
    return suggestions(found, request.object, request.alarms)


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


def _counted(table: Opened, found: History, request: DraftRequest, tell: Tell) -> History:
    """The history with the exact counts of the values of columns that may be unique; as it is where rows were drawn."""
    counted = plan([column.unique for column in worth_counting(found) if column.unique])
    if found.sampled < 1 or not counted.groupings:
        return found
    tell(f"counting the values of {len(counted.groupings)} columns")
    names = tuple(name for name, _ in found.partitions)
    return found.beside(scan(table.frame, counted, partition_by=request.source.partition_by, expected=names))
