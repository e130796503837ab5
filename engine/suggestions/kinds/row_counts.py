"""Suggestions about how many rows arrive."""

import math

from treaty.contracts.editing.check_entry import check
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, of_table
from treaty.engine.suggestions.kinds.metric_bands import document_limit, limits_assertion
from treaty.engine.suggestions.tolerances import MARGINS, limits

# By hand: a tenth more or fewer rows alarms nobody.
BAND_MARGIN = 0.1


# Promised no wider than it held: a load of half the usual rows is what people want to hear of first.
@of_table(margins=MARGINS, over_time=True)
def row_count_band(part: HistorySlice, margin: float) -> SuggestionCandidate | None:
    """As many rows as usual: by the logarithms of past counts, so many times their spread beyond; a tenth at least."""
    if not all(part.rows):
        return None
    found = limits([math.log(rows) for rows in part.rows], margin, math.log(1 + BAND_MARGIN))
    if found is None:
        return None
    low, high = found
    kept = (None if low is None else math.floor(math.exp(low)), None if high is None else math.ceil(math.exp(high)))
    assertion = limits_assertion(kept)
    if assertion is None:
        return None
    said = {(True, True): "between {:,} and {:,}", (True, False): "at least {:,}", (False, True): "at most {1:,}"}
    words = "a partition has " + said[low is not None, high is not None].format(*kept) + " rows"
    return SuggestionCandidate(
        kind="row_count_band",
        sentence=words,
        expression=f"size is {assertion.sentence().removeprefix('be ')}",
        patch={
            "quality": check(
                "row-count",
                words,
                "coverage",
                {"analyzer": "size", assertion.operator: document_limit(assertion.limit)},
            )
        },
        measure=SuggestionMetric(lambda seen: seen.rows, lambda sample: round(len(sample.values) * sample.times)),
        assertion=assertion,
        limits=kept,
    )
