"""Represent the failing checks of an object in an incident, and their largest violations."""

from collections.abc import Collection, Mapping

from treaty.engine.core.results import CheckResult
from treaty.registry.incidents.violations import Failing, RunViolations, violates
from treaty.registry.tables import IncidentObjectRow


def store(part: IncidentObjectRow, current: RunViolations, failing: Collection[Failing]) -> None:
    """Store the failing checks of the run; after a recovery the last ones remain."""
    part.failing_checks = plain(failing) if failing else part.failing_checks
    part.violations = merged(part.violations, extents(current))
    part.last_run_id, part.version = current.run.id, current.run.version


def last_failing(part: IncidentObjectRow) -> set[Failing]:
    """Return the checks that failed in the last run."""
    return {(str(check), partition) for check, partition in part.failing_checks}


def plain(failing: Collection[Failing]) -> list[list[str | None]]:
    """Return the checks as JSON, in a fixed order."""
    return [list(each) for each in sorted(failing, key=repr)]


def is_growing(part: IncidentObjectRow, current: RunViolations) -> bool:
    """Return whether a check of the incident is violated more than ever in it."""
    return any(extent > part.violations.get(check, extent) for check, extent in extents(current).items())


def extents(current: RunViolations) -> dict[str, float]:
    """Return by failing check how much it is violated, on its worst partition; no entry if unknown."""
    largest: dict[str, float] = {}
    for result in filter(violates, current.result.results):
        extent = _extent(result)
        largest = merged(largest, {} if extent is None else {result.check_id: extent})
    return largest


def merged(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    """Return the larger extent of each check."""
    return {check: max(each[check] for each in (one, other) if check in each) for check in {**one, **other}}


def _extent(result: CheckResult) -> float | None:
    """Return the violating rows, or else the distance of the value from the threshold."""
    if result.violating_rows is not None:
        return float(result.violating_rows)
    limits = result.threshold if isinstance(result.threshold, list | tuple) else [result.threshold]
    if not all(_is_number(each) for each in (result.value, *limits)):
        return None
    return min(abs(float(result.value) - float(each)) for each in limits)  # type: ignore[arg-type]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
