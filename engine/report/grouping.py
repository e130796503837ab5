"""What all reports have in common: results gathered by check, the worst of them first, and words for each."""

from collections.abc import Iterable, Sequence

from treaty.engine.core.results import CheckResult, Outcome

WORST_FIRST = (Outcome.FAILED, Outcome.NOT_EVALUATED, Outcome.PASSED, Outcome.NOT_APPLICABLE)
AMISS = frozenset({Outcome.FAILED, Outcome.NOT_EVALUATED})
Group = list[CheckResult]


def by_check(results: Iterable[CheckResult]) -> list[Group]:
    """The results of each check together, the checks whose worst result is worst first; none for none.

    A check is known by id and sentence: two columns may each have a check of one id."""
    grouped: dict[tuple[str, str], Group] = {}
    for result in results:
        grouped.setdefault((result.check_id, result.sentence), []).append(result)
    return sorted(grouped.values(), key=lambda each: WORST_FIRST.index(worst(each)))


def worst(results: Sequence[CheckResult]) -> Outcome:
    """The worst outcome of at least one result."""
    found = {result.outcome for result in results}
    return next(outcome for outcome in WORST_FIRST if outcome in found)


def display_name(result: CheckResult) -> str:
    """The check's own name where it has one beside its id, else its promise."""
    return result.name if result.name != result.check_id else result.sentence


def finding_text(result: CheckResult) -> str:
    """What there is to say of a result that did not pass: what was found of it, or why it was not judged."""
    return " - ".join(filter(None, (result.finding, result.reason))) or result.sentence


def group_text(shown: Sequence[CheckResult]) -> str:
    """What there is to say of results of one check: of the first of them, with its partition, where they differ."""
    first = finding_text(shown[0])
    alike = all(finding_text(each) == first for each in shown)
    return first if alike or not shown[0].partition else f"{shown[0].partition}: {first}"


def places(shown: Sequence[CheckResult], total: int) -> str:
    """The partitions of the results that are shown, of as many as there are in all."""
    names = [result.partition for result in shown if result.partition]
    if len(shown) == total:
        return "all" if total > 1 else (names[0] if names else "whole table")
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{len(shown)} of {total}: {', '.join(names[:3])}{more}"


def outcome_counts_text(results: Iterable[CheckResult]) -> str:
    """How many results ended in which way: '2 failed, 1 warned, 5 passed'; 'no checks' for none."""
    words = [result.counts_as.replace("_", " ") for result in results]
    told = [f"{words.count(word):,} {word}" for word in ENDINGS if word in words]
    return ", ".join(told) or "no checks"


ENDINGS = ("failed", "not evaluated", "warned", "passed", "not applicable")
