"""Routes of learned text patterns."""

from typing import Annotated

from fastapi import Query

from treaty.engine.core import clock
from treaty.engine.patterns.analysis import CommonPattern
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, Reader, Shared, Writer
from treaty.registry.core import ids
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import Permission
from treaty.registry.measurements.patterns import column_domains, index_updates

router = admission_router(tags=["patterns"])
Few = Annotated[int, Query(ge=1, le=1000, description="Maximum number of patterns")]
Written = Annotated[
    LookupText, Query(min_length=1, max_length=2000, description="The pattern, in the syntax of `GET /patterns`")
]


@router.get("/patterns")
def get_patterns(by: Caller, shared: Shared, tx: Reader, limit: Few = 100) -> list[schemas.CommonPatternOut]:
    """List common patterns of text columns, most frequent first.

    Includes patterns with at least one column that the caller may read."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return [_domain(each) for each in column_domains.top(tx, index_updates.lake(shared.settings), limit, by)]


@router.get("/patterns/columns")
def list_pattern_columns(pattern: Written, by: Caller, shared: Shared, tx: Reader) -> schemas.PatternInfoOut:
    """Retrieve a pattern and the columns in which at least nine of ten values match.

    Includes only columns that the caller may read."""
    authentication.require_permission_anywhere(by, Permission.READ)
    info = column_domains.find(tx, index_updates.lake(shared.settings), pattern, by)
    return schemas.PatternInfoOut(
        domain=_domain(info.carriers.domain) if info.carriers.domain else None,
        columns=tuple(map(_carrier, info.pattern_columns)),
        narrower=tuple(map(_domain, info.carriers.narrower)),
        wider=tuple(map(_domain, info.carriers.wider)),
    )


@router.post("/patterns", status_code=202)
@admission(Permission.DRAFT)
def learn_patterns(by: Caller, tx: Writer) -> schemas.TaskOut:
    """Start a task that learns patterns from tables with contracts in force.

    The task's result contains the number of tables."""
    authentication.require_permission(by, Permission.DRAFT)
    task = index_updates.request_update(tx, by=by, now=clock.now(), ids=ids.new)
    tx.commit()
    return schemas.TaskOut.model_validate(task)


def _domain(each: CommonPattern) -> schemas.CommonPatternOut:
    return schemas.CommonPatternOut(
        pattern=each.text, columns=each.columns, impurity=each.fpr, false_alarms=each.alarms, name=each.name
    )


def _carrier(each: column_domains.PatternColumn) -> schemas.PatternColumnOut:
    column = each.carrier
    return schemas.PatternColumnOut(
        **each.about._asdict(), column=column.column, impurity=column.impurity, means=column.domain
    )
