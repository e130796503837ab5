"""Generate the page of suggestion kinds."""

from collections.abc import Iterator

from docs.generators.markdown import code, sentence, table
from treaty.engine.suggestions.candidates import (
    COLUMN_SUGGESTIONS,
    OTHER_SUGGESTIONS,
    TABLE_SUGGESTIONS,
    SuggestionKind,
)
from treaty.engine.suggestions.selection import pipeline
from treaty.engine.suggestions.tolerances import LEAST_PARTITIONS

INTRODUCTION = """
`treaty draft` and the nightly redraft suggest checks of these kinds. A suggestion is made only if it holds on every
partition, including newer partitions that it was not derived from.

"Over time" means that the kind compares partitions in time: it needs at least {least} partitions and is not suggested
for a table without partitions. Its bounds are the past range of the metric, widened until newer partitions stay within
it. "Tolerance" lists the shares of violating rows that a kind tries; the smallest one that holds is used.

[Suggestions](../explanation/suggestions.md) explains evidence and ranking, and
[Draft a contract](../how-to/draft-a-contract.md) shows how to review a draft.
"""
SUBJECTS = {
    "completeness": "Missing values",
    "uniqueness": "Uniqueness",
    "value_sets": "Permitted values",
    "units_by_name": "Units and codes, by the name of the column",
    "text_formats": "Text formats",
    "check_digits": "Check digits",
    "text_traits": "Text traits",
    "text_types": "Types of texts",
    "timestamps": "Timestamps",
    "known_distributions": "Distributions",
    "metric_bands": "Metrics of a column over time",
    "column_groups": "Several columns",
    "row_counts": "Table",
}


def page() -> Iterator[str]:
    """Generate the page."""
    assert pipeline  # importing it registers all kinds
    yield "# Suggestion kinds"
    yield INTRODUCTION.format(least=LEAST_PARTITIONS)
    kinds: dict[str, list[SuggestionKind]] = {}
    for kind in (*COLUMN_SUGGESTIONS.values(), *TABLE_SUGGESTIONS.values()):
        kinds.setdefault(kind.propose.__module__.rsplit(".", 1)[-1], []).append(kind)
    for module, title in SUBJECTS.items():
        yield f"## {title}\n"
        yield from table(("Kind", "Suggested check", "Over time", "Tolerance"), map(_row, kinds.pop(module)))
    if kinds:
        raise ValueError(f"add these modules to docs/generators/suggestions.py: {sorted(kinds)}")
    yield "## Learned and derived from other data\n"
    yield from table(("Kind", "Suggested check"), ((code(name), text) for name, text in OTHER_SUGGESTIONS.items()))


def _row(kind: SuggestionKind) -> tuple[str, ...]:
    shares = ", ".join(f"{100 * each:g} %" for each in kind.margins if each) if not kind.over_time else ""
    # Margins above 1 are multiples of a range, not shares of rows.
    tolerance = "" if max(kind.margins) >= 1 else shares
    return code(kind.name), sentence(kind.summary), "yes" if kind.over_time else "", tolerance
