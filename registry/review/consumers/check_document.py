"""Build contract documents from a consumer's checks: the producer's tables and columns without its checks."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from treaty.contracts.document import writer
from treaty.contracts.document.columns import columns, members
from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.document.reader import read
from treaty.contracts.editing import patches as editing_patches
from treaty.contracts.editing import strip_checks
from treaty.contracts.editing.patches import Patch
from treaty.contracts.errors import ContractError, Fault
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.checks.columns_read import Reach, reach
from treaty.engine.checks.consumer_check_rules import check_faults, tops

ALL = "*"
CACHE_SIZE = 256
# Attributes of a column that constrain this column alone.
WORDS = frozenset({"required", "unique", "enum", "logicalTypeOptions"})


@dataclass(frozen=True)
class RequestedCheck:
    """A consumer's check, as a patch of the producer's document.

    `column`: None patches the object itself."""

    identity: str
    object: str
    column: str | None
    patch: Mapping[str, Any]


def bind_consumer_check(producer: Contract, check: RequestedCheck) -> tuple[BoundCheck, ...]:
    """Return the bound checks that the consumer's check stands for.

    Raises ContractError with all its faults. Their paths are relative to the check, because the consumer never wrote
    the whole document."""
    _admit(check)
    try:
        document = _with(producer, [check])
        of = document.object(check.object)
        bound = bind(of, Schema(())).checks
        faults = [fault for each in bound for fault in check_faults(of, each)]
    except ContractError as error:
        faults = list(error.faults)
        bound = ()
    if faults:
        place = _place(producer, check)
        raise ContractError(replace(each, where=_within(each.where, place), line=None) for each in faults)
    return bound


def consumer_contract(
    producer: Contract, object_name: str, checks: Sequence[RequestedCheck], *, reads: Iterable[str] = ()
) -> Contract | None:
    """Return a contract of the consumer's checks on one object.

    It contains only the columns that the checks need or the consumer reads. Checks that no longer fit the producer's
    document are left out; None means none is left. Never raises: a consumer's check must not block the producer."""
    return _cached_contract(_Producer(producer.source, producer), object_name, _text(checks), frozenset(reads))


def needs(producer: Contract, checks: Sequence[RequestedCheck]) -> Sequence[tuple[str, Reach]]:
    """Return the object of each check and the columns that it reads.

    Checks that no longer fit the producer's document are left out: their author is not affected by a further change."""
    return _needs(_Producer(producer.source, producer), _text(checks)) if checks else ()


def _text(checks: Iterable[RequestedCheck]) -> str:
    return json.dumps([(each.identity, each.object, each.column, each.patch) for each in checks])


@dataclass(frozen=True)
class _Producer:
    """A producer's contract; compared and hashed by its text, as a cache key."""

    source: bytes
    contract: Contract = field(compare=False)


# Every validation and every proposal needs the same few documents, and building one takes several times as long as
# reading it.
@lru_cache(maxsize=CACHE_SIZE)
def _cached_contract(of: _Producer, object_name: str, text: str, reads: frozenset[str]) -> Contract | None:
    producer, requested = of.contract, [RequestedCheck(*each) for each in json.loads(text)]
    for checks in _attempts(producer, requested):
        try:
            return _whole(producer, object_name, checks, reads) if checks else None
        except ContractError:
            continue
    return None


@lru_cache(maxsize=CACHE_SIZE)
def _needs(of: _Producer, text: str) -> tuple[tuple[str, Reach], ...]:
    producer, requested = of.contract, [RequestedCheck(*each) for each in json.loads(text)]
    for checks in _attempts(producer, requested):
        try:
            document = _with(producer, checks)
            bound_checks = [(each.name, check) for each in document.objects for check in bind(each, Schema(())).checks]
            return tuple((name, reach(check)) for name, check in bound_checks)
        except ContractError:
            continue
    return ()


def _attempts(producer: Contract, checks: list[RequestedCheck]) -> Iterator[list[RequestedCheck]]:
    """Yield all checks, then only those that fit individually."""
    yield checks
    yield [each for each in checks if misfit(producer, each) is None]


def _whole(producer: Contract, object_name: str, checks: Sequence[RequestedCheck], reads: Iterable[str]) -> Contract:
    """Return the contract of all these checks.

    Raises ContractError if one does not fit, or if together they are too long."""
    document = _with(producer, checks)
    of = document.object(object_name)
    bound = bind(of, Schema(())).checks
    faults = [fault for each in bound for fault in check_faults(of, each)]
    if faults:
        raise ContractError(faults)
    needed = {column for each in bound for column in reach(each) or ()}
    selected = {each.name for each in of.properties} if ALL in reads else tops(of, {*needed, *reads})
    return read(writer.write(strip_checks.select_columns(document.document, object_name, selected)))


def misfit(producer: Contract, check: RequestedCheck) -> str | None:
    """Return the reason why the check does not fit the producer's document; None means it fits."""
    try:
        bind_consumer_check(producer, check)
    except ContractError as error:
        return "; ".join(fault.message for fault in error.faults)
    return None


def _with(producer: Contract, checks: Sequence[RequestedCheck]) -> Contract:
    """Return the producer's document with these checks in place of its own."""
    patches = [Patch(each.object, each.column, each.patch) for each in checks]
    return read(writer.write(editing_patches.apply(strip_checks.strip_checks(producer.document), patches)))


def _admit(check: RequestedCheck) -> None:
    """Refuse attributes that are not checks: a patch must not rename a column or reclassify it."""
    words = check.patch.keys()
    if words == {"quality"} and isinstance(check.patch["quality"], Mapping):
        return
    if words and words <= WORDS and check.column:
        return
    remedy = f"use 'quality', or for a column: {', '.join(sorted(WORDS))}"
    raise ContractError([Fault(code="TR-CHECK-WORDS", where="check", message="is not a single check", remedy=remedy)])


def _place(producer: Contract, check: RequestedCheck) -> str | None:
    """Return the path of the check in the patched document; None if its target does not exist."""
    tables = {each[1].get("name"): each for each in members(producer.document, "schema")}
    table = tables.get(check.object)
    target = table and (dict(columns(table)).get(check.column) if check.column else table)
    if not target:
        return None
    return f"{target[0]}.quality[0]" if "quality" in check.patch else target[0]


def _within(where: str, place: str | None) -> str:
    return f"check{where.removeprefix(place)}" if place and where.startswith(place) else where


def entry_of(of: DataObject, document: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    """Return the quality entry at a path of the object or its columns.

    `path`: path in the document. None if there is no such entry."""
    table = next((each for each in members(document, "schema") if each[1].get("name") == of.name), None)
    if table is None:
        return None
    holders = [table, *(holder for _, holder in columns(table))]
    entries = (entry for at, holder in holders for entry in members(holder, "quality", at))
    return dict(entries).get(path)
