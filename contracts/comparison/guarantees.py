"""Compare the guarantees of two documents: their checks, matched with each other."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple

from treaty.contracts.assertions import OPERATORS, Assertion
from treaty.contracts.comparison.differences import (
    Difference,
    DifferenceLocation,
    DifferenceSection,
    Order,
    other_words,
)
from treaty.contracts.comparison.directions import Direction, of_presence, steps
from treaty.contracts.comparison.matching import DocumentElement, elements, entries, match_elements
from treaty.contracts.comparison.threshold_order import compare_thresholds
from treaty.contracts.document.model import SCOPES, Contract, ContractCheck
from treaty.contracts.fingerprint import fingerprint

SEVERITIES = ("warning", "error")
ENTRY_WORDS = frozenset({
    "id", "type", "engine", "implementation", "metric", "rule", "arguments", "unit", "query", "severity", *OPERATORS,
})  # fmt: skip
# Text rules are not executed, so data cannot violate them.
TEXT_KIND = "text"


class CheckWithSource(NamedTuple):
    """A check, and its entry as written in the document."""

    check: ContractCheck
    raw: Mapping[str, Any]


def guarantees(old: Contract, new: Contract, order: Order) -> Iterator[Difference]:
    """Yield the differences of all checks, table by table.

    Differences in keys that do not affect evaluation belong to the section `text`."""
    for pair in (each for each in elements(old, new) if each.column is None):
        before, after = _entries(pair.old), _entries(pair.new)
        for was, now in match_elements(before, after, _id, _name, _meaning, _derived_id):
            yield from _check(was, now, pair.object, order)


def _entries(table: DocumentElement | None) -> list[CheckWithSource]:
    raw = entries(table) if table else {}
    return [CheckWithSource(each, raw[each.path]) for each in table.read.checks] if table else []


def _id(entry: CheckWithSource) -> Hashable:
    return entry.raw.get("id") or None


def _name(entry: CheckWithSource) -> Hashable:
    return entry.raw.get("name") or None


def _meaning(entry: CheckWithSource) -> Hashable:
    """Return a fingerprint of the entry's content, independent of its position."""
    return fingerprint([entry.check.column, entry.raw])


def _derived_id(entry: CheckWithSource) -> Hashable:
    return None if entry.raw.get("id") else entry.check.id


def _check(old: CheckWithSource | None, new: CheckWithSource | None, table: str, order: Order) -> Iterator[Difference]:
    entry = new or old
    assert entry
    place = DifferenceLocation(
        section=DifferenceSection.GUARANTEES,
        path=entry.check.path,
        object=table,
        column=entry.check.column,
        check=entry.check.id,
    )
    if old is None or new is None:
        yield _whole(old, new, place)
        return
    yield from _severity(old.check, new.check, place)
    yield from _measured(old.check, new.check, place, order)
    yield from _scope(old.check, new.check, place)
    yield from other_words(place, old.raw, new.raw, ENTRY_WORDS)


def _whole(old: CheckWithSource | None, new: CheckWithSource | None, place: DifferenceLocation) -> Difference:
    was, now = (each and promise(each.check) for each in (old, new))
    executed = any(each and each.check.kind != TEXT_KIND for each in (old, new))
    sentence = f"check {place.check} was added: {now}" if new else f"check {place.check} was removed: {was}"
    return place.difference("check", was, now, of_presence(was, now) if executed else Direction.UNTESTED, sentence)


def _severity(old: ContractCheck, new: ContractCheck, place: DifferenceLocation) -> Iterator[Difference]:
    if old.severity != new.severity:
        direction = steps(old.severity, new.severity, ascending=SEVERITIES)
        yield place.at("severity").difference("severity", old.severity, new.severity, direction)


def _measured(old: ContractCheck, new: ContractCheck, place: DifferenceLocation, order: Order) -> Iterator[Difference]:
    """Yield differences in the metric and the threshold. Thresholds are compared on the new metric."""
    ordered = order(old, new)
    if _measure_fingerprint(old) != _measure_fingerprint(new):
        before, after = measured(old), measured(new)
        executed = Direction.UNTESTED if TEXT_KIND in (old.kind, new.kind) else ordered.direction
        sentence = f"check {place.check} now measures {after} instead of {before}"
        yield place.difference("metric", before, after, executed, sentence)
    if old.assertion != new.assertion:
        direction = compare_thresholds(_promised(old), _promised(new), ordered.domain)
        was, now = threshold(old), threshold(new)
        sentence = f"check {place.check} {now or 'has no threshold'} (previously {was or 'no threshold'})"
        yield place.difference("threshold", was, now, direction, sentence)


def _measure_fingerprint(check: ContractCheck) -> str:
    """Return a fingerprint of everything that defines the metric; 1, '1' and true differ."""
    return fingerprint([check.kind, check.analyzer, check.arguments, check.where, check.column])


def _promised(check: ContractCheck) -> list[Assertion]:
    return [check.assertion] if check.assertion else []


def _scope(old: ContractCheck, new: ContractCheck, place: DifferenceLocation) -> Iterator[Difference]:
    if old.scope != new.scope:
        yield place.at("scope").difference("scope", old.scope, new.scope, Direction.UNDETERMINED)


def measured(check: ContractCheck) -> str:
    """Return the metric of a check in the document's words: 'mean column: amount where day > 1'."""
    arguments = [f"{name}: {_written(value)}" for name, value in sorted(check.arguments.items())]
    target = [f"of {check.column}"] if check.column and "column" not in check.arguments else []
    condition = [f"where {check.where}"] if check.where else []
    return " ".join([check.analyzer, *target, *arguments, *condition])


def _written(value: Any) -> str:
    return f"[{', '.join(map(repr, value))}]" if isinstance(value, list | tuple) else str(value)


def threshold(check: ContractCheck) -> str | None:
    """Return the threshold of a check in words; None if it has none."""
    return f"must {check.assertion.sentence()}" if check.assertion else None


def promise(check: ContractCheck) -> str:
    """Return the whole check in words."""
    severity = f" ({check.severity})" if check.severity != "error" else ""
    return " ".join(filter(None, (measured(check), threshold(check)))) + severity


def view_in_use(name: str, contract: Contract) -> bool:
    """Return whether a check of the contract uses the view as its scope."""
    return name not in SCOPES and any(check.scope == name for each in contract.objects for check in each.checks)
