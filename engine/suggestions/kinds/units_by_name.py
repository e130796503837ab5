"""Suggest ranges and patterns by a column's name, if all values fit. A unit is one row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import COLUMN_SUGGESTIONS, SuggestionCandidate, SuggestionKind, add
from treaty.engine.suggestions.kinds.text_formats import masks, share_of_masks
from treaty.engine.suggestions.number_columns import NumberColumn, number_column
from treaty.engine.suggestions.value_ranges import bounds_check, share_between


@dataclass(frozen=True)
class Unit:
    """A unit of numbers. `names`: last words of a column name that indicate it. `low`, `high`: its bounds by
    definition."""

    kind: str
    names: str
    low: float
    high: float

    def propose(self, column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
        """Suggest the unit's bounds; None if the name does not indicate it or a value is outside."""
        numbers = number_column(column, part) if _is_named(column, self.names) else None
        lowest, highest = part.series(column, "minimum"), part.series(column, "maximum")
        if numbers is None or not lowest or min(lowest) == max(highest):
            return None
        return self._candidate(numbers) if self.low <= min(lowest) and max(highest) <= self.high else None

    def _candidate(self, numbers: NumberColumn) -> SuggestionCandidate | None:
        words = f"{numbers.subject} is {_with_article(self.kind)} between {self.low:g} and {self.high:g}"
        bounds = (self.low, self.high)
        entry = bounds_check(numbers, f"{numbers.name}-{self.kind}", words, bounds, 1)
        if entry is None:
            return None
        return SuggestionCandidate(
            kind=self.kind,
            sentence=words,
            expression=f"{self.low:g} <= {numbers.name} <= {self.high:g}",
            patch={"quality": entry},
            measure=share_between(numbers.column, *bounds),
            assertion=Assertion("mustBeGreaterOrEqualTo", 1),
            limits=(1, None),
            details=numbers.details,
        )


@dataclass(frozen=True)
class Code:
    """A code. `names`: last words of a column name that indicate it. `mask`, `pattern`: its form."""

    kind: str
    names: str
    mask: str
    pattern: str

    def propose(self, column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
        """Suggest the code's pattern; None if the name does not indicate it or a value differs."""
        counts = masks(column, part) if _is_named(column, self.names) else None
        fits = re.compile(self.mask).fullmatch
        if not counts or not all(map(fits, counts)):
            return None
        name = column.column.name
        words = f"{name} is {_with_article(self.kind.replace('_', ' '))}"
        implementation = {"analyzer": "pattern_match", "column": name, "pattern": self.pattern}
        return SuggestionCandidate(
            kind=self.kind,
            sentence=words,
            expression=f"{name} matches {self.pattern}",
            patch={
                "quality": check(
                    f"{name}-{self.kind.replace('_', '-')}",
                    words,
                    "conformity",
                    {**implementation, "mustBeGreaterOrEqualTo": 1},
                )
            },
            measure=share_of_masks(column, fits),
            assertion=Assertion("mustBeGreaterOrEqualTo", 1),
            limits=(1, None),
        )


def _with_article(noun: str) -> str:
    return f"{'an' if noun.startswith(('e', 'hour')) else 'a'} {noun}"


def _named(names: str) -> str:
    return ", ".join(f"`{each}`" for each in names.split("|"))


def _is_named(column: ColumnProfile, names: str) -> bool:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column.column.name).lower()
    return re.search(rf"(^|[^a-z])({names})$", re.sub(r"[^a-z0-9]+$", "", spaced)) is not None


UNITS: Sequence[Unit] = (
    Unit("percentage", "percent|percentage|pct", 0, 100),
    Unit("probability", "probability|likelihood", 0, 1),
    Unit("latitude", "lat|latitude|latitude_deg|lat_deg", -90, 90),
    Unit("longitude", "lon|lng|long|longitude|longitude_deg|lon_deg|long_deg", -180, 180),
    Unit("heading", "heading|bearing|heading_deg|heading_degt", 0, 360),
    Unit("month", "month|month_of_year", 1, 12),
    Unit("weekday", "weekday|day_of_week", 0, 7),
    Unit("hour", "hour|hour_of_day", 0, 24),
)
CODES: Sequence[Code] = (
    Code("currency_code", "currency|currency_code|ccy", "A{3}", "^[A-Z]{3}$"),
    Code("country_code", "country|country_code|iso_country", "A{2}", "^[A-Z]{2}$"),
    Code("email_address", "email|e_mail|email_address", r"[^@ ]+@[^@ ]+", r"^[^@\s]+@[^@\s]+$"),
)

for _unit in UNITS:
    _summary = f"numbers are between {_unit.low:g} and {_unit.high:g}; for columns named {_named(_unit.names)}"
    add(COLUMN_SUGGESTIONS, SuggestionKind(name=_unit.kind, propose=_unit.propose, summary=_summary))
for _code in CODES:
    _summary = f"texts match `{_code.pattern}`; for columns named {_named(_code.names)}"
    add(COLUMN_SUGGESTIONS, SuggestionKind(name=_code.kind, propose=_code.propose, summary=_summary))
