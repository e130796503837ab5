"""Build the document of a profile (`treaty.engine.profile.format`) over all partitions."""

from collections.abc import Mapping
from datetime import timedelta
from math import isfinite

from treaty.engine.components.base import EPOCH
from treaty.engine.components.operands import TEMPORAL
from treaty.engine.profile import notes
from treaty.engine.profile.facts import FACTS
from treaty.engine.profile.format import (
    FORMAT,
    VERSION,
    ColumnDocument,
    HistogramBins,
    Plain,
    ProfileDocument,
    TextTypeDocument,
    ValueCount,
)
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile, plain
from treaty.engine.profile.text_types import InferredTextType
from treaty.engine.states.bag import StateBag

MOST_SHOWN = 20
BINS = 20


def document(history: TableProfile, name: str) -> ProfileDocument:
    """Build the profile document of a table over all partitions."""
    rows = sum(history.rows)
    return ProfileDocument(
        format=FORMAT,
        version=VERSION,
        object=name,
        rows=rows,
        sampled=history.sampled,
        partitions=tuple(name for name, _ in history.partitions),
        words={name: fact.words for name, fact in FACTS.items()},
        notes=(*notes.of_table(rows, history.sampled), *history.notes),
        columns=tuple(_column(each, history, rows) for each in history.columns),
    )


def _column(profile: ColumnProfile, history: TableProfile, rows: int) -> ColumnDocument:
    whole = history.whole
    facts = {name: _json_fact(profile, name, whole) for name in FACTS if _is_measured(profile, name, whole)}
    counts, error = profile.values(whole)
    masks, mistaken = profile.mask_counts(whole)
    column_document = ColumnDocument(
        name=profile.column.name,
        type=profile.column.type,
        classified=profile.classified,
        reads_as=_reads(profile.read_as),
        facts=facts,
        values=_most(counts, error),
        all_values=bool(counts) and not error and len(counts) <= MOST_SHOWN,
        values_error=error,
        masks=_most(masks, mistaken),
        bins=_bins(profile, whole),
        notes=(),
    )
    return column_document.model_copy(
        update={"notes": tuple(notes.of_column(notes.NotedColumn(profile, history, rows, facts)))}
    )


def _is_measured(profile: ColumnProfile, name: str, whole: StateBag) -> bool:
    bound = profile.metrics.get(name)
    return bound is not None and all(part.key in whole.entries for part in bound.parts.values())


def _json_fact(profile: ColumnProfile, name: str, whole: StateBag) -> Plain:
    """Return the fact for JSON; quantiles of dates and times become ISO 8601 texts."""
    value = plain(profile.value(name, whole))
    of_time = (profile.read_as.type if profile.read_as else profile.column.base_type) in TEMPORAL
    if not (of_time and isinstance(value, float) and FACTS[name].of_values):
        return value
    moment = EPOCH + timedelta(microseconds=value)
    return moment.date().isoformat() if _is_day(profile) else moment.isoformat()


def _is_day(profile: ColumnProfile) -> bool:
    return (profile.read_as.type if profile.read_as else profile.column.base_type) == "date"


def _reads(inferred_text_type: InferredTextType | None) -> TextTypeDocument | None:
    return TextTypeDocument(**vars(inferred_text_type)) if inferred_text_type else None


def _most(counts: Mapping[str, int], error: int) -> tuple[ValueCount, ...]:
    """Return the most frequent values that certainly occur: counted more than twice the error."""
    certain = ((value, count) for value, count in counts.items() if count > 2 * error)
    frequent = sorted(certain, key=lambda item: (-item[1], item[0]))[:MOST_SHOWN]
    return tuple(ValueCount(value=value, count=count) for value, count in frequent)


def _bins(profile: ColumnProfile, whole: StateBag) -> HistogramBins | None:
    """Return the histogram; None without numbers, for a single number, or with infinite ones."""
    ranks = profile.ranks(whole)
    if ranks is None:
        return None
    low, high = ranks.low, ranks.high
    width = (high - low) / BINS
    if not isfinite(width) or width <= 0 or low + width == low:
        return None
    edges = [low + cumulative * width for cumulative in range(BINS)] + [high]
    return HistogramBins(edges=tuple(edges), counts=tuple(ranks.between(edges)))
