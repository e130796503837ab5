"""Two partitions of a table beside each other, told from stored states: their facts, numbers and values by column."""

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.schemas import ColumnDocument, ProfileDocument, ValueCount
from treaty.ui import texts as ui_texts
from treaty.ui.parts.metric import metric_charts
from treaty.ui.texts import metric as texts
from treaty.ui.widgets import panels, viewer

# As folders of partitions name what is null.
NULL = "__HIVE_DEFAULT_PARTITION__"
VALUES = 12
UNANSWERED = frozenset({404, 422})


def condition(partition: str) -> str:
    """The condition that chooses exactly the partition of that name; "" where the name says no column."""
    pairs = (part.partition("=") for part in partition.split("/"))
    return " AND ".join(_equals(unquote(name), value) for name, sign, value in pairs if sign)


def _equals(column: str, value: str) -> str:
    name = "`" + column.replace("`", "``") + "`"
    return f"{name} IS NULL" if value == NULL else f"{name} = '{_quoted(unquote(value))}'"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def draw(dataset: str, partitions: Sequence[str]) -> None:
    """The columns of both partitions, one chosen at a time; says why where states do not tell."""
    try:
        found = [viewer.registry().profile(dataset, where=condition(each)) for each in partitions]
    except ClientError as error:
        if error.status not in UNANSWERED:
            raise
        panels.empty(texts.STATES_DO_NOT_TELL, ui_texts.esc(panels.sentence(error)))
        return
    names = [each.name for each in found[0].columns]
    chosen = st.selectbox(ui_texts.COLUMN, names, key="column", bind="query-params", width=320)
    if chosen is None:
        panels.empty(texts.NO_COLUMN, texts.NO_COLUMN_STORED)
        return
    columns([column_of(each, chosen) for each in found], partitions, found[0].words)


def column_of(profile: ProfileDocument, name: str) -> ColumnDocument | None:
    """The column of that name; None where that partition lacks it."""
    return next((each for each in profile.columns if each.name == name), None)


def columns(found: Sequence[ColumnDocument | None], partitions: Sequence[str], named: Mapping[str, str]) -> None:
    """The facts of both, then how their numbers are distributed, or which values they have how often."""
    panels.table(facts(found, partitions, named), key="facts-compared", alt=texts.FACTS_COMPARED)
    bins = [
        (name, each.bins.edges, each.bins.counts)
        for name, each in zip(partitions, found, strict=True)
        if each and each.bins
    ]
    if bins:
        metric = next(each.name for each in found if each)
        told = texts.distributed(metric, [name for name, _, _ in bins])
        panels.show_chart(metric_charts.distribution_chart(bins, metric=metric), key="distribution", alt=told)
        st.caption(texts.LEGEND_TWO)
    if any(each and each.values for each in found):
        panels.table(values(found, partitions), key="values-compared", alt=texts.VALUES_COMPARED)


def facts(
    found: Sequence[ColumnDocument | None], partitions: Sequence[str], named: Mapping[str, str]
) -> list[dict[str, str]]:
    """A row a fact, a column a partition."""
    every = dict.fromkeys(name for each in found if each for name in each.facts)
    return [
        {texts.FACT: named.get(fact, fact)}
        | {
            name: ui_texts.value(each.facts.get(fact)) if each else ui_texts.NOTHING
            for name, each in zip(partitions, found, strict=True)
        }
        for fact in every
    ]


def values(found: Sequence[ColumnDocument | None], partitions: Sequence[str]) -> list[dict[str, str]]:
    """A row a value, the most frequent of the first partition first, with its rows in each."""
    counts = [_counts(each.values) if each else {} for each in found]
    every = list(dict.fromkeys(value for each in counts for value in each))[:VALUES]
    return [
        {ui_texts.VALUE: value}
        | {name: ui_texts.count(each.get(value)) for name, each in zip(partitions, counts, strict=True)}
        for value in every
    ]


def _counts(found: Sequence[ValueCount]) -> dict[str, int]:
    return {str(each.value): each.count for each in found}
