"""Compare two partitions of a table by their stored states: facts, numbers and values by column."""

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.schemas import ColumnDocument, ProfileDocument, ValueCount
from treaty.ui import texts as ui_texts
from treaty.ui.parts.metric import metric_charts
from treaty.ui.texts import metric as texts
from treaty.ui.widgets import panels, viewer

# Partition folders use this name for null.
NULL = "__HIVE_DEFAULT_PARTITION__"
VALUES = 12
UNANSWERED = frozenset({404, 422})


def condition(partition: str) -> str:
    """Return an SQL condition that selects exactly the named partition; "" if the name has no columns."""
    pairs = (part.partition("=") for part in partition.split("/"))
    return " AND ".join(_equals(unquote(name), value) for name, sign, value in pairs if sign)


def _equals(column: str, value: str) -> str:
    name = "`" + column.replace("`", "``") + "`"
    return f"{name} IS NULL" if value == NULL else f"{name} = '{_quoted(unquote(value))}'"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def draw(dataset: str, partitions: Sequence[str]) -> None:
    """Draw a selected column of both partitions, or the reason if states lack it."""
    try:
        profiles = [viewer.registry().profile(dataset, where=condition(each)) for each in partitions]
    except ClientError as error:
        if error.status not in UNANSWERED:
            raise
        panels.empty(texts.STATES_DO_NOT_TELL, ui_texts.esc(panels.sentence(error)))
        return
    names = [each.name for each in profiles[0].columns]
    chosen = st.selectbox(ui_texts.COLUMN, names, key="column", bind="query-params", width=320)
    if chosen is None:
        panels.empty(texts.NO_COLUMN, texts.NO_COLUMN_STORED)
        return
    columns([column_of(each, chosen) for each in profiles], partitions, profiles[0].words)


def column_of(profile: ProfileDocument, name: str) -> ColumnDocument | None:
    """Return the column with that name; None if the partition lacks it."""
    return next((each for each in profile.columns if each.name == name), None)


def columns(columns: Sequence[ColumnDocument | None], partitions: Sequence[str], named: Mapping[str, str]) -> None:
    """Draw the facts of both, and the distributions of their numbers or frequent values."""
    panels.table(facts(columns, partitions, named), key="facts-compared", alt=texts.FACTS_COMPARED)
    bins = [
        (name, each.bins.edges, each.bins.counts)
        for name, each in zip(partitions, columns, strict=True)
        if each and each.bins
    ]
    if bins:
        metric = next(each.name for each in columns if each)
        description = texts.distributed(metric, [name for name, _, _ in bins])
        panels.show_chart(metric_charts.distribution_chart(bins, metric=metric), key="distribution", alt=description)
        st.caption(texts.LEGEND_TWO)
    if any(each and each.values for each in columns):
        panels.table(values(columns, partitions), key="values-compared", alt=texts.VALUES_COMPARED)


def facts(
    columns: Sequence[ColumnDocument | None], partitions: Sequence[str], named: Mapping[str, str]
) -> list[dict[str, str]]:
    """Return one row per fact with a column per partition."""
    every = dict.fromkeys(name for each in columns if each for name in each.facts)
    return [
        {texts.FACT: named.get(fact, fact)}
        | {
            name: ui_texts.value(each.facts.get(fact), viewer.unit_of(fact)) if each else ui_texts.NOTHING
            for name, each in zip(partitions, columns, strict=True)
        }
        for fact in every
    ]


def values(columns: Sequence[ColumnDocument | None], partitions: Sequence[str]) -> list[dict[str, str]]:
    """Return one row per value with its rows in each partition.

    Values are sorted by frequency in the first partition."""
    counts = [_counts(each.values) if each else {} for each in columns]
    every = list(dict.fromkeys(value for each in counts for value in each))[:VALUES]
    return [
        {ui_texts.VALUE: value}
        | {name: ui_texts.count(each.get(value)) for name, each in zip(partitions, counts, strict=True)}
        for value in every
    ]


def _counts(counts: Sequence[ValueCount]) -> dict[str, int]:
    return {str(each.value): each.count for each in counts}
