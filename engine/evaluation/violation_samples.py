"""Select the columns of samples of violating rows, and mask classified ones.

Values of classified columns leave Spark only as a mask, which shows that a value exists."""

from collections.abc import Sequence
from dataclasses import dataclass

from treaty.contracts.document.classification import Names, is_masked
from treaty.contracts.predicates.parser import quote
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.core.results import CheckResult, Measurement, Outcome, RunResult

MASK = "•••"
HIDDEN = "the measured text is hidden because the contract classifies its column"
MOST_COLUMNS = 12
MOST_CHECKS = 200
MOST_PARTITIONS = 50
LONGEST = 120


@dataclass(frozen=True)
class SampleColumn:
    """A column or nested field of a sample, with its path as in arguments."""

    path: str
    masked: bool


def sampled_checks(checks: BoundChecks, results: Sequence[CheckResult]) -> dict[str, tuple[str, ...]]:
    """Return the failed checks that have violating rows, each with its newest failed partitions.

    An empty tuple means the check was evaluated on all partitions together. The result is empty if no rows can be
    shown."""
    failed: dict[str, list[str]] = {}
    for result in results:
        if result.outcome is Outcome.FAILED:
            failed.setdefault(result.check_id, []).extend([result.partition] if result.partition else [])
    check_ids = [each.check.id for each in checks.checks if each.check.id in failed and each.breaking is not None]
    return {each: tuple(sorted(failed[each])[-MOST_PARTITIONS:]) for each in check_ids[:MOST_CHECKS]}


def sample_columns(
    check: BoundCheck, checks: BoundChecks, partition_by: Sequence[str] = ()
) -> tuple[SampleColumn, ...]:
    """Return the columns of a sample: those of the check, the key, the partition columns, then others.

    At most MOST_COLUMNS in total. If the contract declares columns, undeclared ones are shown only if the check
    names them, and masked, because their classification is unknown."""
    data_object, schema = checks.object, checks.schema
    declared = {each.name.casefold() for each in data_object.properties}
    rest = [name for name in schema.names if not declared or name.casefold() in declared]
    named = check.analyzer.columns_named if check.analyzer else ()
    paths: dict[Names, str] = {}
    for path in (*named, *map(_path, (*data_object.primary_key, *partition_by, *rest))):
        if schema.find(path) is not None:
            paths.setdefault(schema.names_along(path), path)
    chosen = list(paths.items())[:MOST_COLUMNS]
    return tuple(SampleColumn(path, is_masked(data_object, names)) for names, path in chosen)


def redact(checks: BoundChecks, run: RunResult) -> RunResult:
    """Remove values of masked columns from the run: distributions, and smallest or largest texts.

    Outcomes stay unchanged. Runs are stored and have more readers than the rows."""
    hidden = {each.identity for each in checks.checks if each.analyzer and is_hidden(each.analyzer, checks, each.bound)}
    measured = (_without_values(each) if each.identity in hidden else each for each in run.measurements)
    results = (_without_text(each) if each.measurement in hidden else each for each in run.results)
    return run.model_copy(update={"measurements": tuple(measured), "results": tuple(results)})


def is_hidden(analyzer: Analyzer, checks: BoundChecks, bound: BoundAnalyzer | None) -> bool:
    """Return whether values of the metric must be hidden because a column is masked."""
    along, parts = checks.schema.names_along, bound.parts.values() if bound else ()
    masked = any(is_masked(checks.object, along(path)) for path in analyzer.columns_named)
    return masked or any(part.is_transient for part in parts)


def _without_values(measured: Measurement) -> Measurement:
    shown = None if isinstance(measured.value, str) else measured.value
    return measured.model_copy(update={"details": None, "value": shown})


def _without_text(result: CheckResult) -> CheckResult:
    if not isinstance(result.value, str):
        return result
    return result.model_copy(update={"value": None, "finding": HIDDEN})


def _path(name: str) -> str:
    return quote(name) if "." in name or "`" in name else name
