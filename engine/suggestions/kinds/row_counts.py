"""Suggest checks on the number of rows."""

import math

from treaty.contracts.editing.check_entry import check
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, of_table
from treaty.engine.suggestions.kinds.metric_bands import document_limit, limits_assertion
from treaty.engine.suggestions.tolerances import MARGINS, limits

# Set by hand: a tenth more or fewer rows causes no alarm.
BAND_MARGIN = 0.1


# The bounds are not widened after the test: a load with half the usual rows must be detected.
@of_table(margins=MARGINS, over_time=True)
def row_count_band(part: HistorySlice, margin: float) -> SuggestionCandidate | None:
    """Suggest the past range of row counts, widened on a log scale.

    By `margin` times its width, and at least by a tenth."""
    if not all(part.rows):
        return None
    log_bounds = limits([math.log(rows) for rows in part.rows], margin, math.log(1 + BAND_MARGIN))
    if log_bounds is None:
        return None
    low, high = log_bounds
    bounds = (None if low is None else math.floor(math.exp(low)), None if high is None else math.ceil(math.exp(high)))
    assertion = limits_assertion(bounds)
    if assertion is None:
        return None
    templates = {(True, True): "between {:,} and {:,}", (True, False): "at least {:,}", (False, True): "at most {1:,}"}
    words = "a partition has " + templates[low is not None, high is not None].format(*bounds) + " rows"
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
        measure=SuggestionMetric(lambda sample: sample.rows, lambda sample: round(len(sample.values) * sample.times)),
        assertion=assertion,
        limits=bounds,
    )
