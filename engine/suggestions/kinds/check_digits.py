"""Suggest formats with check digits, such as IBAN, ISBN and EAN."""

from functools import partial
from math import ceil

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.analyzers.named_formats import FORMATS
from treaty.engine.components.operands import TEXT
from treaty.engine.components.sketches import DistinctSketch
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.new_rows import ERRORS
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, of_column, of_rows
from treaty.engine.suggestions.column_samples import ColumnSample

# Largest probability that values without check digits look like these, as of relations between columns.
CHANCE = 1e-9
# What a value of each format is.
WORDS = {
    "iban": "a valid IBAN",
    "credit_card": "a valid payment card number",
    "isbn": "a valid ISBN",
    "ean": "a valid EAN or UPC",
    "luhn": "a number with a valid Luhn check digit",
}


@of_column(margins=(0.0, 0.005, 0.01, 0.02), safety=2.0)
def check_digit(column: ColumnProfile, part: HistorySlice, margin: float) -> SuggestionCandidate | None:
    """Suggest that texts or whole numbers are IBANs, card numbers, ISBNs, EANs or Luhn numbers.

    So many distinct values have them that chance would do the same with a probability below 1e-9."""
    name = next((each for each in column.formats if _is_evident(each, column, part, margin)), None)
    return _of_format(column, name, 1 - margin) if name else None


def _is_evident(name: str, column: ColumnProfile, part: HistorySlice, margin: float) -> bool:
    shares = [float(share) for share in _shares(name, column, part) if share is not None]
    return bool(shares) and min(shares) >= 1 - margin and _chance(name, column, part) < CHANCE


def _chance(name: str, column: ColumnProfile, part: HistorySlice) -> float:
    """Return the probability of so few violations among distinct values with random digits.

    Each violating row counts as another value."""
    from scipy.stats import binom

    whole, bag, digits = HistorySlice.of(part.history), part.history.whole, FORMATS[name].check
    filled = zip(whole.each(column, "completeness"), _shares(name, column, whole), whole.rows, strict=True)
    violating = sum(ceil((1 - float(share)) * float(present or 0) * rows) for present, share, rows in filled if share)
    distinct = float(column.value("approx_count_distinct", bag) or 0)
    least = int(distinct - ERRORS * DistinctSketch.deviation(distinct) + 0.5)
    return float(binom.cdf(violating, least, 1 - digits.chance)) if digits else 1.0


def _shares(name: str, column: ColumnProfile, part: HistorySlice) -> list[Value]:
    measured = column.formats[name]
    return part.read((column.column.name, "format", name), lambda bag: column.metric_value(measured, bag))


def _of_format(column: ColumnProfile, name: str, least: float) -> SuggestionCandidate:
    words = of_rows(f"{column.column.name} is {WORDS[name]}", least)
    implementation = {"analyzer": "pattern_match", "format": name, "mustBeGreaterOrEqualTo": least}
    return SuggestionCandidate(
        kind="check_digit",
        sentence=words,
        expression=of_rows(f"{column.column.name} has the format {name}", least),
        patch={"quality": check(f"{column.column.name}-{name.replace('_', '-')}", words, "conformity", implementation)},
        measure=SuggestionMetric(
            lambda part: _shares(name, column, part), lambda sample: _of_sample(name, column, sample)
        ),
        assertion=Assertion("mustBeGreaterOrEqualTo", least),
        limits=(least, None),
        details={"format": name},
        relaxed=partial(_of_format, column, name),
    )


def _of_sample(name: str, column: ColumnProfile, sample: ColumnSample) -> Value:
    digits, values = FORMATS[name].check, sample.present.tolist()
    if digits is not None and column.column.base_type not in TEXT:
        values = [digits.padded(str(int(each))) for each in values]
    return sum(map(FORMATS[name].holds, values)) / len(values) if values else None
