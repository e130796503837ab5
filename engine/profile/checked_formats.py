"""Choose the formats with check digits that the second scan counts.

Few columns show values like such numbers in the first scan, so hardly any column is counted."""

from collections.abc import Mapping
from itertools import islice

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.analyzers.named_formats import CHECKED, FORMATS
from treaty.engine.analyzers.text import PatternMatch
from treaty.engine.components.operands import INTEGRAL, TEXT
from treaty.engine.profile.facts import bound
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.states.bag import StateBag

# Set by hand: values to look at, the share of them that must have a format, and the digits of numbers that may have
# one: shorter numbers are counts and codes.
MOST_VALUES, LEAST_SHARE, LEAST_DIGITS = 100, 0.8, 8
# Lengths of texts that may have a format, separators included.
SHORTEST, LONGEST = 8, 42
# Larger quantiles have lost digits.
EXACT = 2**53
NUMBERS = ("minimum", "q25", "median", "q75", "maximum")


def formats_of(profile: ColumnProfile, whole: StateBag, schema: Schema) -> Mapping[str, BoundAnalyzer]:
    """Return the shares of the values that have each plausible format, by its name."""
    column = profile.column
    if column.base_type not in TEXT | INTEGRAL or not _is_as_long(profile, whole):
        return {}
    values = _texts(profile, whole)
    names = [name for name in CHECKED if not values or _may_have(name, values)]
    measured = {name: bound(PatternMatch(column=column.name, format=name), schema) for name in names}
    return {name: each for name, each in measured.items() if each}


def _is_as_long(profile: ColumnProfile, whole: StateBag) -> bool:
    if profile.column.base_type in INTEGRAL:
        return float(profile.value("maximum", whole) or 0) >= 10.0 ** (LEAST_DIGITS - 1)
    return SHORTEST <= float(profile.value("mean_length", whole) or 0) <= LONGEST


def _texts(profile: ColumnProfile, whole: StateBag) -> list[str]:
    """Return some values; [] if the first scan shows none."""
    if profile.column.base_type in TEXT:
        return list(islice(profile.values(whole)[0], MOST_VALUES))
    measured = (profile.value(name, whole) for name in NUMBERS)
    return [f"{each:.0f}" for each in measured if isinstance(each, int) or abs(float(each or EXACT)) < EXACT]


def _may_have(name: str, values: list[str]) -> bool:
    check = FORMATS[name].check
    padded = (check.padded(each) if check else each for each in values)
    return sum(len(each) >= LEAST_DIGITS and FORMATS[name].holds(each) for each in padded) >= LEAST_SHARE * len(values)
