"""What the texts of a column read as: numbers, truth values, dates and times, in which format.

The first scan counts how many texts read as each class (`treaty.engine.components.text_classes`) and what they look
like (masks);
from these follow the readings that are tried in the second scan, which casts. Nothing is cast that does not look like
it, so that no row costs an exception. After Schelter et al., Automating Large-Scale Data Quality Verification
(VLDB 2018), section 5.3, which knows numbers alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from treaty.contracts.predicates.parser import literal
from treaty.engine.analyzers.types import READS
from treaty.engine.components.text_classes import CLASSES

# So large a share of the texts must read as a type for it to be the column's; by hand: one "n/a" in ten is a number
# column with holes, more is a text column. Schelter et al. ask for all, as does the type that a contract may promise.
LEAST_SHARE = 0.9
# Whole numbers of more digits are no bigint.
LONGEST_WHOLE = 18
MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
# How dates are written, beside ISO 8601, as patterns of Spark; a pattern's mask tells which texts look like it.
DATES = (
    "yyyy/MM/dd", "dd.MM.yyyy", "dd/MM/yyyy", "MM/dd/yyyy", "dd-MM-yyyy", "MM-dd-yyyy", "yyyyMMdd", "dd-MMM-yyyy",
    "dd MMM yyyy", "MMM dd, yyyy",
)  # fmt: skip
TIMES = ("HH:mm:ss", "HH:mm")
MOMENTS = tuple(f"{date} {time}" for date in DATES for time in TIMES)
_MASKS = (("MMM", "Aaa"), ("yyyy", "0000"), ("MM", "00"), ("dd", "00"), ("HH", "00"), ("mm", "00"), ("ss", "00"))
_KINDS = ("boolean", "integer", "decimal", "fractional", "date", "timestamp")


@dataclass(frozen=True)
class TextTypeCandidate:
    """A type that texts may have: `kind` is one of `data_type`'s words, `type` Spark's, `sql` reads a text as it (null
    where it does not). `format`: the pattern of dates and times; None: ISO 8601, or no date."""

    kind: str
    type: str
    sql: str
    format: str | None = None


@dataclass(frozen=True, kw_only=True)
class InferredTextType:
    """What a column's texts were found to read as: the share of them, and of formats all that fit equally well.

    `padded`: how many are whole numbers that begin with a zero: codes, of which a number would lose it."""

    kind: str
    type: str
    share: float
    formats: tuple[str, ...] = ()
    padded: int = 0


def readings(
    sql: str, classes: Sequence[int], masks: Mapping[str, int], longest: int | None
) -> tuple[TextTypeCandidate, ...]:
    """The readings worth trying of a text column: of each LEAST_SHARE of the texts look like it.

    `classes` counts them as CLASSES does, `masks` some or all of them by what they look like; `longest` is the most
    characters of one.
    () where nothing but text is to be seen, where there are no values, and for truth values, which need no cast."""
    if not sum(classes):
        return ()
    return (*_dates(sql, masks), *_plain(sql, _class(classes), longest or 0))


def _class(classes: Sequence[int]) -> str | None:
    """The narrowest type that so many of the texts read as; None where they read as none."""
    counts, total = dict(zip(CLASSES, classes, strict=True)), sum(classes)
    shares = {kind: sum(counts[name] for name in READS[kind]) / total for kind in _KINDS}
    return next((kind for kind in _KINDS if shares[kind] >= max(LEAST_SHARE, *shares.values())), None)


def kind_of(classes: Sequence[int]) -> tuple[str, float] | None:
    """The type that the texts read as by their classes alone, and the share of them; None where they read as none."""
    kind = _class(classes) if sum(classes) else None
    if kind is None:
        return None
    counts = dict(zip(CLASSES, classes, strict=True))
    return kind, sum(counts[name] for name in READS[kind]) / sum(classes)


def _plain(sql: str, kind: str | None, longest: int) -> Iterator[TextTypeCandidate]:
    # Decimals as doubles: which scale they have is the contract's to say.
    whole = "bigint" if longest <= LONGEST_WHOLE else "decimal(38,0)" if longest <= 38 else None
    types = {"integer": whole, "decimal": "double", "fractional": "double", "date": "date", "timestamp": "timestamp"}
    if kind and (type_ := types.get(kind)):
        yield TextTypeCandidate(kind, type_, f"try_cast({sql} as {type_})")


def _dates(sql: str, masks: Mapping[str, int]) -> Iterator[TextTypeCandidate]:
    least = max(1, LEAST_SHARE * sum(masks.values()))
    for kind, patterns in (("date", DATES), ("timestamp", MOMENTS)):
        for pattern in patterns:
            if masks.get(mask_of(pattern), 0) >= least:
                # Without a zone: none is written.
                type_ = "date" if kind == "date" else "timestamp_ntz"
                yield TextTypeCandidate(kind, type_, f"try_cast({iso(sql, pattern)} as {type_})", pattern)


def mask_of(pattern: str) -> str:
    """What texts of a date's pattern look like: 00/00/0000 of dd/MM/yyyy."""
    for word, mask in _MASKS:
        pattern = pattern.replace(word, mask)
    return pattern


def iso(sql: str, pattern: str) -> str:
    """SQL of the ISO 8601 text of a date or time that is written by the pattern.

    It is put together from pieces, for Spark's own parser throws in Java for each text that it refuses."""
    at = {found.group(): found.start() + 1 for found in re.finditer("MMM|yyyy|MM|dd|HH|mm|ss", pattern)}
    month = _month(f"substr({sql}, {at['MMM']}, 3)") if "MMM" in at else f"substr({sql}, {at['MM']}, 2)"
    date = [f"substr({sql}, {at['yyyy']}, 4)", month, f"substr({sql}, {at['dd']}, 2)"]
    time = [f"substr({sql}, {at[word]}, 2)" for word in ("HH", "mm", "ss") if word in at]
    written = f"{date[0]}, '-', {date[1]}, '-', {date[2]}"
    if time:
        written += ", 'T', " + ", ':', ".join(time if len(time) == 3 else [*time, "'00'"])
    # Of a text of another length the pieces could be a date, too.
    return f"CASE WHEN char_length({sql}) = {len(mask_of(pattern))} THEN concat({written}) END"


def _month(name: str) -> str:
    place = f"instr({literal(MONTHS)}, lower({name}))"
    return f"CASE WHEN {place} % 3 = 1 THEN lpad(cast(({place} + 2) div 3 as string), 2, '0') END"
