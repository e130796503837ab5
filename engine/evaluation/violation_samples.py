"""Samples of the rows that break a check: which columns are shown beside it, and which of them as a mask.

What a contract classifies leaves Spark only as a mask: it says that there is a value, not which."""

from collections.abc import Sequence
from dataclasses import dataclass

from treaty.contracts.document.classification import Names, is_masked
from treaty.contracts.predicates.parser import quote
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.core.results import CheckResult, Measurement, Outcome, RunResult

MASK = "•••"
HIDDEN = "the measured text is not shown: the contract classifies its column"
MOST_COLUMNS = 12
MOST_CHECKS = 200
MOST_PARTITIONS = 50
LONGEST = 120


@dataclass(frozen=True)
class SampleColumn:
    """A column, or a field of one, as a sample shows it: `path` as an argument names it, masked or not."""

    path: str
    masked: bool


def sampled_checks(checks: BoundChecks, results: Sequence[CheckResult]) -> dict[str, tuple[str, ...]]:
    """The ids of the failed checks that single rows break, each with the newest partitions in which it failed.

    No partition: the check was judged on all of them together. {} where no row can be shown."""
    failed: dict[str, list[str]] = {}
    for result in results:
        if result.outcome is Outcome.FAILED:
            failed.setdefault(result.check_id, []).extend([result.partition] if result.partition else [])
    judged = [each.check.id for each in checks.checks if each.check.id in failed and each.breaking is not None]
    return {each: tuple(sorted(failed[each])[-MOST_PARTITIONS:]) for each in judged[:MOST_CHECKS]}


def sample_columns(
    check: BoundCheck, checks: BoundChecks, partition_by: Sequence[str] = ()
) -> tuple[SampleColumn, ...]:
    """What a sample shows: the columns that the check names, the key, the partition, then the rest up to MOST_COLUMNS.

    Of the columns that a contract with columns does not declare, only those that the check names are shown, as a mask:
    nobody has said what they hold."""
    promised, schema = checks.object, checks.schema
    declared = {each.name.casefold() for each in promised.properties}
    rest = [name for name in schema.names if not declared or name.casefold() in declared]
    named = check.analyzer.columns_named if check.analyzer else ()
    paths: dict[Names, str] = {}
    for path in (*named, *map(_path, (*promised.primary_key, *partition_by, *rest))):
        if schema.find(path) is not None:
            paths.setdefault(schema.names_along(path), path)
    chosen = list(paths.items())[:MOST_COLUMNS]
    return tuple(SampleColumn(path, is_masked(promised, names)) for names, path in chosen)


def redact(checks: BoundChecks, run: RunResult) -> RunResult:
    """The run without values of columns that are masked: distributions, and smallest or largest texts.

    What was judged stays as it was judged; runs are kept, and read by more people than the rows are."""
    hidden = {each.identity for each in checks.checks if each.analyzer and is_hidden(each.analyzer, checks, each.bound)}
    measured = (_without_values(each) if each.identity in hidden else each for each in run.measurements)
    told = (_without_text(each) if each.measurement in hidden else each for each in run.results)
    return run.model_copy(update={"measurements": tuple(measured), "results": tuple(told)})


def is_hidden(analyzer: Analyzer, checks: BoundChecks, bound: BoundAnalyzer | None) -> bool:
    """Whether the analyzer reads a column that is masked, so that values of rows are not to be shown of its metric."""
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
