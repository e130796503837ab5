"""Infer which type the texts of a column parse as: numbers, booleans, dates and times, with their format.

The first scan counts texts by class (`treaty.engine.components.text_classes`) and by mask. From these follow the
types that the second scan tries to cast to. Only texts that look like a type are cast, so no row costs an exception.
After Schelter et al., Automating Large-Scale Data Quality Verification (VLDB 2018), section 5.3, which covers only
numbers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from treaty.contracts.predicates.parser import literal
from treaty.engine.analyzers.types import READS
from treaty.engine.components.text_classes import CLASSES

# Smallest share of texts that must parse for a column to have that type; chosen by hand: with one "n/a" in ten it is a
# number column with gaps, with more a text column. Schelter et al. require all texts, and so does the type in a
# contract.
LEAST_SHARE = 0.9
# Longer whole numbers do not fit a bigint.
LONGEST_WHOLE = 18
MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
# Date formats besides ISO 8601, as Spark patterns; the mask of a pattern selects the texts that look like it.
DATES = (
    "yyyy/MM/dd", "dd.MM.yyyy", "dd/MM/yyyy", "MM/dd/yyyy", "dd-MM-yyyy", "MM-dd-yyyy", "yyyyMMdd", "dd-MMM-yyyy",
    "dd MMM yyyy", "MMM dd, yyyy",
)  # fmt: skip
TIMES = ("HH:mm:ss", "HH:mm")
MOMENTS = tuple(f"{date} {time}" for date in DATES for time in TIMES)
_MASKS = (("MMM", "Aaa"), ("yyyy", "0000"), ("MM", "00"), ("dd", "00"), ("HH", "00"), ("mm", "00"), ("ss", "00"))
NUMBERS = ("integer", "decimal", "fractional")
_KINDS = ("boolean", *NUMBERS, "date", "timestamp")


@dataclass(frozen=True)
class TextTypeCandidate:
    """A type that texts may parse as.

    - `kind`: one of `data_type`'s names.
    - `type`: Spark's type.
    - `sql`: parses a text, null on failure.
    - `format`: date pattern; None for ISO 8601 and for types without a format."""

    kind: str
    type: str
    sql: str
    format: str | None = None


@dataclass(frozen=True, kw_only=True)
class InferredTextType:
    """The type that a column's texts parse as.

    `share`: share of the texts that parse. `formats`: all formats that fit equally well. `padded`: number of texts
    with a leading zero, which they would lose as numbers."""

    kind: str
    type: str
    share: float
    formats: tuple[str, ...] = ()
    padded: int = 0

    @property
    def is_code(self) -> bool:
        """Return whether the texts are codes of digits: whole numbers with leading zeros."""
        return self.kind == "integer" and self.padded > 0


def readings(
    sql: str, classes: Sequence[int], masks: Mapping[str, int], longest: int | None
) -> tuple[TextTypeCandidate, ...]:
    """Return the types worth trying for a text column: those that LEAST_SHARE of the texts look like.

    `classes`: counts in the order of CLASSES. `masks`: counts of some or all texts by mask. `longest`: length of the
    longest text. Empty for plain text, without values, and for booleans, which need no cast."""
    if not sum(classes):
        return ()
    return (*_dates(sql, masks), *_plain(sql, _class(classes), longest or 0))


def _class(classes: Sequence[int]) -> str | None:
    """Return the narrowest type that enough texts parse as; None for plain text."""
    counts, total = dict(zip(CLASSES, classes, strict=True)), sum(classes)
    shares = {kind: sum(counts[name] for name in READS[kind]) / total for kind in _KINDS}
    return next((kind for kind in _KINDS if shares[kind] >= max(LEAST_SHARE, *shares.values())), None)


def kind_of(classes: Sequence[int]) -> tuple[str, float] | None:
    """Return the type by classes alone and the share of texts that parse; None for plain text."""
    kind = _class(classes) if sum(classes) else None
    if kind is None:
        return None
    counts = dict(zip(CLASSES, classes, strict=True))
    return kind, sum(counts[name] for name in READS[kind]) / sum(classes)


def _plain(sql: str, kind: str | None, longest: int) -> Iterator[TextTypeCandidate]:
    # Decimals are read as doubles; their scale is declared in the contract.
    whole = "bigint" if longest <= LONGEST_WHOLE else "decimal(38,0)" if longest <= 38 else None
    types = {"integer": whole, "decimal": "double", "fractional": "double", "date": "date", "timestamp": "timestamp"}
    if kind and (type_ := types.get(kind)):
        yield TextTypeCandidate(kind, type_, f"try_cast({sql} as {type_})")


def _dates(sql: str, masks: Mapping[str, int]) -> Iterator[TextTypeCandidate]:
    least = max(1, LEAST_SHARE * sum(masks.values()))
    for kind, patterns in (("date", DATES), ("timestamp", MOMENTS)):
        for pattern in patterns:
            if masks.get(mask_of(pattern), 0) >= least:
                # The formats have no time zone.
                type_ = "date" if kind == "date" else "timestamp_ntz"
                yield TextTypeCandidate(kind, type_, f"try_cast({iso(sql, pattern)} as {type_})", pattern)


def mask_of(pattern: str) -> str:
    """Return the mask of a date pattern: 00/00/0000 for dd/MM/yyyy."""
    for word, mask in _MASKS:
        pattern = pattern.replace(word, mask)
    return pattern


def iso(sql: str, pattern: str) -> str:
    """Return SQL that converts a date or time in that pattern to ISO 8601 text.

    It concatenates substrings, because Spark's own parser throws a Java exception per rejected text."""
    positions = {match.group(): match.start() + 1 for match in re.finditer("MMM|yyyy|MM|dd|HH|mm|ss", pattern)}
    month = (
        _month(f"substr({sql}, {positions['MMM']}, 3)")
        if "MMM" in positions
        else f"substr({sql}, {positions['MM']}, 2)"
    )
    date = [f"substr({sql}, {positions['yyyy']}, 4)", month, f"substr({sql}, {positions['dd']}, 2)"]
    time = [f"substr({sql}, {positions[word]}, 2)" for word in ("HH", "mm", "ss") if word in positions]
    concatenated = f"{date[0]}, '-', {date[1]}, '-', {date[2]}"
    if time:
        concatenated += ", 'T', " + ", ':', ".join(time if len(time) == 3 else [*time, "'00'"])
    # In a text of another length the substrings could be a date by chance.
    return f"CASE WHEN char_length({sql}) = {len(mask_of(pattern))} THEN concat({concatenated}) END"


def _month(name: str) -> str:
    place = f"instr({literal(MONTHS)}, lower({name}))"
    return f"CASE WHEN {place} % 3 = 1 THEN lpad(cast(({place} + 2) div 3 as string), 2, '0') END"
