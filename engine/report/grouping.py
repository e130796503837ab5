"""Group and describe results for all reports: by check, the worst first."""

from collections.abc import Iterable, Sequence

from treaty.engine.core.results import CheckResult, Outcome

WORST_FIRST = (
    Outcome.FAILED,
    Outcome.NOT_EVALUATED,
    Outcome.UNCERTAIN,
    Outcome.PASSED,
    Outcome.NOT_APPLICABLE,
)
Group = list[CheckResult]


def by_check(results: Iterable[CheckResult]) -> list[Group]:
    """Group the results by check, the worst first.

    A check is identified by id and sentence, because checks of two columns may share an id."""
    grouped: dict[tuple[str, str], Group] = {}
    for result in results:
        grouped.setdefault((result.check_id, result.sentence), []).append(result)
    return sorted(grouped.values(), key=lambda each: WORST_FIRST.index(worst(each)))


def worst(results: Sequence[CheckResult]) -> Outcome:
    """Return the worst outcome; there must be at least one result."""
    outcomes = {result.outcome for result in results}
    return next(outcome for outcome in WORST_FIRST if outcome in outcomes)


def display_name(result: CheckResult) -> str:
    """Return the check's name if it differs from its id, else its sentence."""
    return result.name if result.name != result.check_id else result.sentence


def finding_text(result: CheckResult) -> str:
    """Return the finding of a result and the reason, else its sentence."""
    return " - ".join(filter(None, (result.finding, result.reason))) or result.sentence


def group_text(shown: Sequence[CheckResult]) -> str:
    """Return the finding of results of one check, with the first partition if findings differ."""
    first = finding_text(shown[0])
    is_same = all(finding_text(each) == first for each in shown)
    return first if is_same or not shown[0].partition else f"{shown[0].partition}: {first}"


def places(shown: Sequence[CheckResult], total: int) -> str:
    """Describe the partitions of the shown results, out of `total`."""
    names = [result.partition for result in shown if result.partition]
    if len(shown) == total:
        return "all" if total > 1 else (names[0] if names else "whole table")
    suffix = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{len(shown)} of {total}: {', '.join(names[:3])}{suffix}"


def outcome_counts_text(results: Iterable[CheckResult]) -> str:
    """Count the results by outcome: '2 failed, 1 warned, 5 passed'; 'no checks' without results."""
    words = [result.counts_as.replace("_", " ") for result in results]
    counts = [f"{words.count(word):,} {word}" for word in ENDINGS if word in words]
    return ", ".join(counts) or "no checks"


ENDINGS = ("failed", "not evaluated", "uncertain", "warned", "passed", "not applicable")
