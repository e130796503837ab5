"""Compare Treaty's own terms of two documents, and the keys that belong to no table."""

from collections.abc import Iterator, Mapping
from typing import Any

from treaty.contracts.comparison.differences import Difference, DifferenceLocation, DifferenceSection, other_words
from treaty.contracts.comparison.directions import Direction, inclusion, of_flags, of_presence, steps
from treaty.contracts.comparison.guarantees import view_in_use
from treaty.contracts.comparison.matching import match_elements
from treaty.contracts.document.model import Contract, Deadline, Terms

COLUMNS = ("open", "watched", "closed")
GATE_ANSWERS = ("allow", "warn", "block")
GATE_TERMS = {
    "on_unknown": "gate answer for unknown verdicts",
    "on_uncertain": "gate answer for uncertain checks",
}
# These define who decides and how; validation does not use them.
POLICIES = ("aliases", "compatibility", "review", "lineage", "group")
# Each version has its own number and status.
DOCUMENT_WORDS = frozenset({"kind", "version", "status", "schema", "slaProperties", "customProperties"})


def term_differences(old: Contract, new: Contract) -> Iterator[Difference]:
    """Yield the differences of the terms.

    Terms that affect validation belong to the sections structure and guarantees."""
    yield from _structure_differences(old.terms, new.terms)
    yield from _views(old, new)
    if old.terms.arrivals != new.terms.arrivals:
        was, now = old.terms.arrivals, new.terms.arrivals
        yield _of(DifferenceSection.GUARANTEES, "arrivals").difference("arrivals", was, now, Direction.UNDETERMINED)
    yield from _deadlines(old.terms, new.terms)
    yield from _anomalies(old.terms, new.terms)
    for name in POLICIES:
        was, now = _plain(old.terms, name), _plain(new.terms, name)
        if was != now:
            yield _of(DifferenceSection.TERMS, name).difference(name, was, now, Direction.UNTESTED)


def _deadlines(old: Terms, new: Terms) -> Iterator[Difference]:
    for was, now in match_elements(old.deadlines, new.deadlines, _told_apart, lambda each: each.object):
        if was != now:
            before, after = (each and _deadline_text(each) for each in (was, now))
            yield _of(DifferenceSection.GUARANTEES, "deadlines").difference(
                "deadline", before, after, _sooner(was, now)
            )


def _anomalies(old: Terms, new: Terms) -> Iterator[Difference]:
    """Yield the difference of anomaly settings: more false alarms mean narrower bands, other settings being equal."""
    was, now = old.anomalies, new.anomalies
    if was != now:
        more, fewer = now.false_alarms >= was.false_alarms, now.false_alarms <= was.false_alarms
        alike = (was.holidays, was.distances) == (now.holidays, now.distances)
        direction = inclusion(new_within_old=more, old_within_new=fewer) if alike else Direction.UNDETERMINED
        before, after = _plain(old, "anomalies"), _plain(new, "anomalies")
        yield _of(DifferenceSection.GUARANTEES, "anomalies").difference("anomalies", before, after, direction)


def _deadline_text(deadline: Deadline) -> str:
    days = deadline.days if isinstance(deadline.days, str) else ", ".join(deadline.days)
    return f"{deadline.object} by {deadline.by} {deadline.zone}, {days}, {deadline.severity}"


def _told_apart(deadline: Deadline) -> tuple[str, str] | None:
    return (deadline.object, deadline.id) if deadline.id else None


def _sooner(old: Deadline | None, new: Deadline | None) -> Direction:
    """Return the direction of a changed deadline: earlier is tighter for the same days and zone."""
    if old is None or new is None:
        return of_presence(old, new)
    if (old.zone, old.days, old.severity) != (new.zone, new.days, new.severity) or old.by == new.by:
        return Direction.UNDETERMINED
    return inclusion(new_within_old=new.by <= old.by, old_within_new=old.by <= new.by)


def document_words(old: Contract, new: Contract) -> Iterator[Difference]:
    """Yield the differences in document metadata: names, people, servers. Validation does not use it."""
    place = DifferenceLocation(section=DifferenceSection.TEXT)
    yield from other_words(place, old.document, new.document, DOCUMENT_WORDS)
    was, now = _foreign_properties(old.document), _foreign_properties(new.document)
    yield from other_words(place, was, now, ())


def _structure_differences(old: Terms, new: Terms) -> Iterator[Difference]:
    if old.columns != new.columns:
        direction = steps(old.columns, new.columns, ascending=COLUMNS)
        yield _of(DifferenceSection.STRUCTURE, "columns").difference(
            "other columns", old.columns, new.columns, direction
        )
    if old.order != new.order:
        direction = of_flags(old.order, new.order)
        yield _of(DifferenceSection.STRUCTURE, "order").difference(
            "required column order", old.order, new.order, direction
        )
    for name, words in GATE_TERMS.items():
        was, now = _plain(old, name), _plain(new, name)
        if was != now:
            direction = steps(was, now, ascending=GATE_ANSWERS)
            yield _of(DifferenceSection.GUARANTEES, name).difference(words, was, now, direction)


def _views(old: Contract, new: Contract) -> Iterator[Difference]:
    for was, now in match_elements(old.terms.views, new.terms.views, lambda view: view.name):
        before, after = (view and f"{view.name} where {view.where}" for view in (was, now))
        if before != after:
            used = was and now and (view_in_use(was.name, old) or view_in_use(now.name, new))
            direction = Direction.UNDETERMINED if used else Direction.UNTESTED
            yield _of(DifferenceSection.GUARANTEES, "views").difference("view", before, after, direction)


def _of(part: DifferenceSection, name: str) -> DifferenceLocation:
    return DifferenceLocation(section=part, path=f"customProperties.treaty.{name}")


def _plain(terms: Terms, name: str) -> Any:
    return terms.model_dump()[name]


def _foreign_properties(document: Mapping[str, Any]) -> dict[str, Any]:
    """The custom properties that are not Treaty's terms."""
    properties = document.get("customProperties") or []
    foreign = [each for each in properties if not isinstance(each, dict) or each.get("property") != "treaty"]
    return {"customProperties": foreign} if foreign else {}
