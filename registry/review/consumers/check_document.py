"""The document that a consumer's checks make: the producer's tables and columns, with nobody else's promises."""

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
# The words of a column that promise something of it alone.
WORDS = frozenset({"required", "unique", "enum", "logicalTypeOptions"})


@dataclass(frozen=True)
class RequestedCheck:
    """A consumer's check: what it would set on the column of the object, or (`column` None) on the object itself."""

    identity: str
    object: str
    column: str | None
    patch: Mapping[str, Any]


def bind_consumer_check(producer: Contract, asked: RequestedCheck) -> tuple[BoundCheck, ...]:
    """The bound checks that this one stands for. Raises ContractError with all its faults.

    They say where within the check, not where in a document that nobody wrote."""
    _admit(asked)
    try:
        made = _with(producer, [asked])
        of = made.object(asked.object)
        bound = bind(of, Schema(())).checks
        faults = [fault for each in bound for fault in check_faults(of, each)]
    except ContractError as error:
        faults = list(error.faults)
        bound = ()
    if faults:
        place = _place(producer, asked)
        raise ContractError(replace(each, where=_within(each.where, place), line=None) for each in faults)
    return bound


def consumer_contract(
    producer: Contract, object_name: str, asked: Sequence[RequestedCheck], *, reads: Iterable[str] = ()
) -> Contract | None:
    """The contract of these checks on that object, of only the columns that they or their author read.

    A check that does not fit the producer's document any more is left out; None where none is left. Raises nothing:
    what a consumer asks must never stand in the way of the producer."""
    return _cached_contract(_Producer(producer.source, producer), object_name, _text(asked), frozenset(reads))


def needs(producer: Contract, asked: Sequence[RequestedCheck]) -> Sequence[tuple[str, Reach]]:
    """The object that each check is about and what it reads of it, as far as it still fits the producer's document:
    what is gone already is no news to its author."""
    return _needs(_Producer(producer.source, producer), _text(asked)) if asked else ()


def _text(asked: Iterable[RequestedCheck]) -> str:
    return json.dumps([(each.identity, each.object, each.column, each.patch) for each in asked])


@dataclass(frozen=True)
class _Producer:
    """A producer's contract, which its text stands for."""

    source: bytes
    contract: Contract = field(compare=False)


# The same few documents are asked for with every validation and every proposal; to make one takes as long as to read it
# several times.
@lru_cache(maxsize=CACHE_SIZE)
def _cached_contract(of: _Producer, object_name: str, text: str, reads: frozenset[str]) -> Contract | None:
    producer, asked = of.contract, [RequestedCheck(*each) for each in json.loads(text)]
    for kept in _attempts(producer, asked):
        try:
            return _whole(producer, object_name, kept, reads) if kept else None
        except ContractError:
            continue
    return None


@lru_cache(maxsize=CACHE_SIZE)
def _needs(of: _Producer, text: str) -> tuple[tuple[str, Reach], ...]:
    producer, asked = of.contract, [RequestedCheck(*each) for each in json.loads(text)]
    for kept in _attempts(producer, asked):
        try:
            whole = _with(producer, kept)
            found = [(each.name, check) for each in whole.objects for check in bind(each, Schema(())).checks]
            return tuple((name, reach(check)) for name, check in found)
        except ContractError:
            continue
    return ()


def _attempts(producer: Contract, asked: list[RequestedCheck]) -> Iterator[list[RequestedCheck]]:
    """All of these checks; where that is of no use, those that fit by themselves."""
    yield asked
    yield [each for each in asked if misfit(producer, each) is None]


def _whole(producer: Contract, object_name: str, asked: Sequence[RequestedCheck], reads: Iterable[str]) -> Contract:
    """The contract of all these checks. Raises ContractError where one does not fit, or where they are too long."""
    whole = _with(producer, asked)
    of = whole.object(object_name)
    bound = bind(of, Schema(())).checks
    faults = [fault for each in bound for fault in check_faults(of, each)]
    if faults:
        raise ContractError(faults)
    needed = {column for each in bound for column in reach(each) or ()}
    wanted = {each.name for each in of.properties} if ALL in reads else tops(of, {*needed, *reads})
    return read(writer.write(strip_checks.select_columns(whole.document, object_name, wanted)))


def misfit(producer: Contract, asked: RequestedCheck) -> str | None:
    """Why the check does not fit the producer's document; None: it does."""
    try:
        bind_consumer_check(producer, asked)
    except ContractError as error:
        return "; ".join(fault.message for fault in error.faults)
    return None


def _with(producer: Contract, asked: Sequence[RequestedCheck]) -> Contract:
    """The producer's document without promises, but with these."""
    patches = [Patch(each.object, each.column, each.patch) for each in asked]
    return read(writer.write(editing_patches.apply(strip_checks.strip_checks(producer.document), patches)))


def _admit(asked: RequestedCheck) -> None:
    """Refuses all words that promise nothing: a check must not rename a column, or say that it is public."""
    words = asked.patch.keys()
    if words == {"quality"} and isinstance(asked.patch["quality"], Mapping):
        return
    if words and words <= WORDS and asked.column:
        return
    remedy = f"write 'quality', or of a column: {', '.join(sorted(WORDS))}"
    raise ContractError([Fault(code="TR-CHECK-WORDS", where="check", message="is not one check", remedy=remedy)])


def _place(producer: Contract, asked: RequestedCheck) -> str | None:
    """Where in such a document the check stands; None where what it is about is not there."""
    tables = {each[1].get("name"): each for each in members(producer.document, "schema")}
    table = tables.get(asked.object)
    found = table and (dict(columns(table)).get(asked.column) if asked.column else table)
    if not found:
        return None
    return f"{found[0]}.quality[0]" if "quality" in asked.patch else found[0]


def _within(where: str, place: str | None) -> str:
    return f"check{where.removeprefix(place)}" if place and where.startswith(place) else where


def entry_of(of: DataObject, document: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    """The quality entry at that path of the document, on the object or on one of its columns; None: there is none."""
    table = next((each for each in members(document, "schema") if each[1].get("name") == of.name), None)
    if table is None:
        return None
    holders = [table, *(holder for _, holder in columns(table))]
    entries = (entry for at, holder in holders for entry in members(holder, "quality", at))
    return dict(entries).get(path)
