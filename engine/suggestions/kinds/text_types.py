"""Suggest that texts keep the type that all of them parse as."""

from functools import partial

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, of_column, of_rows
from treaty.engine.suggestions.parsed_texts import parsed_shares, parsed_type, share_of_sample


@of_column()
def reads_as(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that all texts parse as the type that all past ones parse as.

    After Deequ's rule to retain a type. Whole numbers with leading zeros are codes: they stay texts."""
    kind = parsed_type(column, part)
    return None if kind is None else _of_type(column, kind, 1)


def _of_type(column: ColumnProfile, kind: str, least: float) -> SuggestionCandidate:
    name = column.column.name
    words = of_rows(f"{name} always parses as {kind}" if least == 1 else f"{name} parses as {kind}", least)
    implementation = {"analyzer": "data_type", "column": name, "type": kind, "mustBeGreaterOrEqualTo": least}
    return SuggestionCandidate(
        kind="reads_as",
        sentence=words,
        expression=f"share of {name} that parses as {kind} is at least {least}",
        patch={"quality": check(f"{name}-type", words, "conformity", implementation)},
        measure=SuggestionMetric(
            lambda part: parsed_shares(column, part, kind), lambda sample: share_of_sample(kind, sample)
        ),
        assertion=Assertion("mustBeGreaterOrEqualTo", least),
        limits=(least, None),
        relaxed=partial(_of_type, column, kind),
    )
