"""Cases of distinct values, quantiles and association."""

from decimal import Decimal
from math import inf, log, nan

from support.analyzer_table import BIG, Case

from treaty.engine.analyzers.association import Correlation, Determination, Entropy, MutualInformation
from treaty.engine.analyzers.distinct import (
    CountDistinct,
    Distinctness,
    DuplicateRows,
    PrimaryKey,
    UniqueRowRatio,
    UniqueValueRatio,
)
from treaty.engine.analyzers.histogram import Histogram
from treaty.engine.analyzers.quantiles import (
    ApproxInterquartileRange,
    ApproxQuantile,
    ExactQuantile,
    InterquartileRange,
    KllBuckets,
)

NOBODY = "id > 99"
# All of these together: the groupings of some of them are read from this one, without Spark.
TOGETHER = ("id", "status", "big", "huge", "price", "ratio", "wild", "single", "open", "day", "seen", "local", "blob")

DISTINCT = [
    Case(CountDistinct(columns=("id",)), 6, counted=6),
    Case(CountDistinct(columns=("status",)), 4, counted=5),
    Case(CountDistinct(columns=("big",)), 4),
    Case(CountDistinct(columns=("price",)), 4),
    Case(CountDistinct(columns=("ratio",)), 4),
    Case(CountDistinct(columns=("wild",)), 4),
    Case(CountDistinct(columns=("single",)), 5),
    Case(CountDistinct(columns=("open",)), 2),
    Case(CountDistinct(columns=("day",)), 4),
    Case(CountDistinct(columns=("seen",)), 3),
    Case(CountDistinct(columns=("local",)), 3),
    Case(CountDistinct(columns=("blob",)), 5),
    Case(CountDistinct(columns=("wide",)), 4),
    Case(CountDistinct(columns=("words",)), 5),
    Case(CountDistinct(columns=("none",)), 0, counted=0),
    Case(CountDistinct(columns=("none_number",)), 0),
    Case(CountDistinct(columns=("none", "none_number")), 0),
    Case(CountDistinct(columns=("constant", "status")), 5, counted=6),
    Case(CountDistinct(columns=("status", "constant")), 5, counted=6),
    Case(CountDistinct(columns=("status", "status")), 4, counted=5),
    Case(CountDistinct(columns=(*TOGETHER, "wide", "words", "small", "nested.name", "nested.inner", "`a.b`")), 6),
    Case(CountDistinct(columns=("nested.name",)), 3, counted=4),
    Case(CountDistinct(columns=("`a.b`", "Größe `x`")), 6),
    Case(CountDistinct(columns=("status",), where="id > 1"), 4, counted=4),
    Case(CountDistinct(columns=("id",), where=NOBODY), None),
    Case(UniqueValueRatio(columns=("status",)), 3 / 4, broken=2, counted=5),
    Case(UniqueValueRatio(columns=("constant",)), 0.0, broken=6),
    Case(UniqueValueRatio(columns=("none",)), None, broken=0, counted=0),
    Case(UniqueValueRatio(columns=("id",), where=NOBODY), None),
    Case(UniqueRowRatio(columns=("status",)), 3 / 5, broken=2, counted=5),
    Case(UniqueRowRatio(columns=("constant", "status")), 4 / 6, broken=2, counted=6),
    Case(UniqueRowRatio(columns=("Größe `x`",)), 1.0, broken=0, counted=5),
    Case(UniqueRowRatio(columns=("none",)), None),
    Case(UniqueRowRatio(columns=("id",), where=NOBODY), None),
    Case(Distinctness(columns=("status",)), 4 / 5, broken=2, counted=5),
    Case(Distinctness(columns=("constant",)), 1 / 6, broken=6),
    Case(Distinctness(columns=("nested.name", "constant")), 4 / 6, counted=6),
    Case(Distinctness(columns=("none",)), None),
    Case(Distinctness(columns=("id",), where=NOBODY), None),
]
DUPLICATES = [
    Case(DuplicateRows(columns=("id",)), 0, broken=0, counted=6),
    Case(DuplicateRows(columns=("constant",)), 6, broken=6),
    Case(DuplicateRows(columns=("constant",), copies="extra"), 5, broken=6),
    Case(DuplicateRows(columns=("status",)), 2, broken=2, counted=6),
    Case(DuplicateRows(columns=("status",), copies="extra"), 1),
    Case(DuplicateRows(columns=("status",), count_in="percent"), 100 * 2 / 6),
    Case(DuplicateRows(columns=("status",), count_in="percent", copies="extra"), 100 * 1 / 6),
    Case(DuplicateRows(columns=("none",)), 0, broken=0, counted=6),
    Case(DuplicateRows(columns=("none",), count_in="percent"), 0.0),
    Case(DuplicateRows(columns=("`a.b`", "none")), 0),
    Case(DuplicateRows(columns=("id",), where=NOBODY), None),
    Case(PrimaryKey(columns=("id",)), 1.0, broken=0, counted=6),
    Case(PrimaryKey(columns=("status",)), 3 / 6, broken=3, counted=6),
    Case(PrimaryKey(columns=("`a.b`",)), 5 / 6, broken=1),
    Case(PrimaryKey(columns=("id", "Größe `x`")), 5 / 6, broken=1),
    Case(PrimaryKey(columns=("nested.name", "constant")), 2 / 6, broken=4),
    Case(PrimaryKey(columns=("none",)), 0.0, broken=6),
    Case(PrimaryKey(columns=("none", "none_number")), 0.0, broken=6),
    Case(PrimaryKey(columns=("status",), where="id > 1"), 4 / 5, broken=1, counted=5),
    Case(PrimaryKey(columns=("id",), where=NOBODY), None),
]
ASSOCIATION = [
    Case(Entropy(column="id"), log(6), 1e-12, counted=6),
    Case(Entropy(column="constant"), 0.0, counted=6),
    Case(Entropy(column="status"), 2 / 5 * log(5 / 2) + 3 / 5 * log(5), 1e-12, counted=5),
    Case(Entropy(column="wild"), 2 / 5 * log(5 / 2) + 3 / 5 * log(5), 1e-12),
    Case(Entropy(column="day"), 2 / 5 * log(5 / 2) + 3 / 5 * log(5), 1e-12),
    Case(Entropy(column="blob"), log(5), 1e-12),
    Case(Entropy(column="nested.name"), 2 / 4 * log(2) + 2 / 4 * log(4), 1e-12, counted=4),
    Case(Entropy(column="none"), None, counted=0),
    Case(Entropy(column="id", where=NOBODY), None),
    Case(MutualInformation(column="id", other="status"), 2 / 5 * log(5 / 2) + 3 / 5 * log(5), 1e-12, counted=5),
    Case(MutualInformation(column="id", other="constant"), 0.0, 1e-12, counted=6),
    Case(MutualInformation(column="status", other="status"), 2 / 5 * log(5 / 2) + 3 / 5 * log(5), 1e-12, counted=5),
    Case(MutualInformation(column="constant", other="none"), None, counted=0),
    Case(MutualInformation(column="none", other="none"), None),
    Case(MutualInformation(column="nested.name", other="`a.b`"), 2 / 3 * log(3 / 2) + log(3) / 3, 1e-12, counted=3),
    Case(MutualInformation(column="id", other="status", where=NOBODY), None),
    Case(Determination(column="id", other="status"), 1.0, counted=5),
    Case(Determination(column="status", other="id"), 4 / 5, counted=5),
    Case(Determination(column="constant", other="status"), 2 / 5, counted=5),
    Case(Determination(column="status", other="constant"), 1.0, counted=5),
    Case(Determination(column="status", other="status"), 1.0, counted=5),
    Case(Determination(column="nested.name", other="`a.b`"), 2 / 3, counted=3),
    Case(Determination(column="`a.b`", other="nested.name"), 1.0, counted=3),
    Case(Determination(column="none", other="id"), None, counted=0),
    Case(Determination(column="id", other="status", where=NOBODY), None),
    Case(Correlation(column="id", other="id"), 1.0, 1e-12, counted=6),
    Case(Correlation(column="id", other="Größe `x`"), 1.0, 1e-12, counted=5),
    Case(Correlation(column="id", other="`a.b`"), 1.0, 1e-12, counted=5),
    Case(Correlation(column="id", other="constant"), None, counted=6),
    Case(Correlation(column="id", other="ratio"), 5.4 / (17.2 * 4.3) ** 0.5, 1e-12, counted=5),
    Case(Correlation(column="small", other="nested.inner"), -4.75 / (2.75 * 14.75) ** 0.5, 1e-12),
    Case(Correlation(column="id", other="wild"), nan),
    Case(Correlation(column="id", other="none_number"), None, counted=0),
    Case(Correlation(column="id", other="ratio", where=NOBODY), None),
]
QUANTILES = [
    Case(ExactQuantile(column="id", quantile=0), 1, counted=6),
    Case(ExactQuantile(column="id", quantile=0.5), 3),
    Case(ExactQuantile(column="id", quantile=0.51), 4),
    Case(ExactQuantile(column="id", quantile=1), 6),
    Case(ExactQuantile(column="small", quantile=0.5), 0, counted=5),
    Case(ExactQuantile(column="big", quantile=0.8), BIG - 1, counted=5),
    Case(ExactQuantile(column="big", quantile=1), BIG),
    Case(ExactQuantile(column="huge", quantile=0.5), 2**63 - 1),
    Case(ExactQuantile(column="price", quantile=0.5), Decimal("0.20"), counted=5),
    Case(ExactQuantile(column="wide", quantile=0), -(Decimal(10) ** 27)),
    Case(ExactQuantile(column="wide", quantile=0.75), Decimal("0.0000000001")),
    Case(ExactQuantile(column="ratio", quantile=0.4), 0.0, counted=5),
    Case(ExactQuantile(column="single", quantile=0.6), 0.25),
    Case(ExactQuantile(column="wild", quantile=1), inf, counted=3),
    Case(ExactQuantile(column="wild", quantile=0), -1.0),
    Case(ExactQuantile(column="day", quantile=0.5), "2026-01-01", counted=5),
    Case(ExactQuantile(column="seen", quantile=0.5), "2026-01-01T12:00:00+00:00", counted=3),
    Case(ExactQuantile(column="local", quantile=0), "1960-01-01T00:00:00"),
    Case(ExactQuantile(column="nested.inner", quantile=0.5), 2, counted=4),
    Case(ExactQuantile(column="`a.b`", quantile=0.5), 4),
    Case(ExactQuantile(column="none_number", quantile=0.5), None, counted=0),
    Case(ExactQuantile(column="id", quantile=0.5, where=NOBODY), None),
    Case(InterquartileRange(column="id"), 3, counted=6),
    Case(InterquartileRange(column="constant"), 0),
    Case(InterquartileRange(column="big"), BIG - 1 - 7),
    Case(InterquartileRange(column="price"), Decimal("3.10")),
    Case(InterquartileRange(column="wide"), Decimal("1" + 27 * "0" + ".0000000001")),
    Case(InterquartileRange(column="ratio"), 1.0),
    Case(InterquartileRange(column="day"), 1),
    Case(InterquartileRange(column="seen"), 86400.0),
    Case(InterquartileRange(column="local"), (66 * 365 + 17 + 3) * 86400.0),
    Case(InterquartileRange(column="none_number"), None, counted=0),
    Case(InterquartileRange(column="id", where=NOBODY), None),
    Case(ApproxInterquartileRange(column="id"), 3.0, counted=6),
    Case(ApproxInterquartileRange(column="price"), 3.1, 1e-12),
    Case(ApproxInterquartileRange(column="wild"), inf, counted=3),
    Case(ApproxInterquartileRange(column="day"), 1.0),
    Case(ApproxInterquartileRange(column="seen"), 86400.0),
    Case(ApproxInterquartileRange(column="nested.inner"), 3.0),
    Case(ApproxInterquartileRange(column="none_number"), None, counted=0),
    Case(ApproxInterquartileRange(column="id", where=NOBODY), None),
    Case(ApproxQuantile(column="seen", quantile=1), 1767312000000000.0, counted=3),
]


def bins(*counts: tuple[object, object, int], **outside: int) -> dict[str, object]:
    """The details of a binned distribution."""
    return {"bins": [{"from": low, "to": high, "count": count} for low, high, count in counts], **outside}


def valued(*counts: tuple[object, int], null: int = 0, other: dict[str, int] | None = None) -> dict[str, object]:
    """The details of a distribution of values."""
    shown = [{"value": value, "count": count} for value, count in counts]
    return {"values": shown, "other": other or {"values": 0, "count": 0}, "null": null}


HISTOGRAM = [
    Case(
        Histogram(column="status"),
        4,
        counted=5,
        details=valued(("new", 2), ("back\\slash", 1), ("o'neil", 1), ("paid", 1), null=1),
    ),
    Case(Histogram(column="big"), 4, details=valued((7, 2), (-BIG, 1), (BIG - 1, 1), (BIG, 1), null=1)),
    Case(Histogram(column="huge"), 1, details=valued((2**63 - 1, 3), null=3)),
    Case(Histogram(column="price"), 4, details=valued(("0.20", 2), ("-5.00", 1), ("10.10", 1), ("3.30", 1), null=1)),
    Case(Histogram(column="ratio"), 4, details=valued((0.0, 2), (0.5, 1), (1.0, 1), (2.5, 1), null=1)),
    Case(Histogram(column="wild"), 4, details=valued(("NaN", 2), (-1.0, 1), (1.0, 1), ("Infinity", 1), null=1)),
    Case(Histogram(column="open"), 2, details=valued((True, 4), (False, 1), null=1)),
    Case(
        Histogram(column="blob"), 5, details=valued(("", 1), ("YQ==", 1), ("Yw==", 1), ("ZA==", 1), ("ZQ==", 1), null=1)
    ),
    Case(
        Histogram(column="day"),
        4,
        details=valued(("2026-01-01", 2), ("1969-12-31", 1), ("2026-01-02", 1), ("2026-01-03", 1), null=1),
    ),
    Case(
        Histogram(column="seen", where="id < 3"),
        2,
        counted=2,
        details=valued(("2026-01-01T12:00:00+00:00", 1), ("2026-01-02T00:00:00+00:00", 1)),
    ),
    Case(
        Histogram(column="local"),
        3,
        details=valued(("1960-01-01T00:00:00", 1), ("2026-01-01T12:00:00", 1), ("2026-01-04T00:00:00", 1), null=3),
    ),
    Case(Histogram(column="nested.name"), 3, details=valued(("x", 2), ("y", 1), ("z", 1), null=2)),
    Case(Histogram(column="none"), 0, counted=0, details=valued(null=6)),
    Case(Histogram(column="id", where=NOBODY), None),
    Case(
        Histogram(column="status", share_of="new"),
        2 / 5,
        counted=5,
        details=valued(("new", 2), null=1, other={"count": 3}),
    ),
    Case(Histogram(column="status", share_of="new", nulls="break"), 2 / 6, counted=6),
    Case(Histogram(column="status", share_of="nowhere"), 0.0),
    Case(Histogram(column="open", share_of=True), 4 / 5),
    Case(Histogram(column="price", share_of=0.2), 2 / 5),
    Case(Histogram(column="day", share_of="2026-01-01"), 2 / 5),
    Case(Histogram(column="Größe `x`", share_of=2), 1 / 5),
    Case(Histogram(column="none", share_of="x"), None, counted=0),
    Case(Histogram(column="none", share_of="x", nulls="break"), 0.0),
    Case(Histogram(column="status", share_of="new", where=NOBODY), None),
]
BINS = [
    Case(
        Histogram(column="id", bins=3, low=1, high=4),
        3,
        counted=6,
        details=bins((1, 2, 1), (2, 3, 1), (3, 4, 2), below=0, above=2, null=0),
    ),
    Case(Histogram(column="id", bins=3, low=1, high=4, share_of=3.5), 2 / 6),
    Case(Histogram(column="`a.b`", bins=2, low=0, high=5, share_of=0, nulls="break"), 1 / 6, counted=6),
    Case(
        Histogram(column="price", edges=(0.2, 3.3, 10)),
        2,
        details=bins((0.2, 3.3, 2), (3.3, 10, 1), below=1, above=1, null=1),
    ),
    Case(Histogram(column="price", edges=(0.2, 3.3, 10), share_of=0.2), 2 / 5),
    Case(Histogram(column="wild", edges=(-1, 0, 1)), 2, details=bins((-1, 0, 1), (0, 1, 1), below=0, above=3, null=1)),
    Case(
        Histogram(column="single", edges=(0, 0.1, 0.5)),
        2,
        details=bins((0, 0.1, 1), (0.1, 0.5, 3), below=0, above=1, null=1),
    ),
    Case(
        Histogram(column="day", edges=("2026-01-01", "2026-01-02", "2026-01-31")),
        2,
        details=bins(("2026-01-01", "2026-01-02", 2), ("2026-01-02", "2026-01-31", 2), below=1, above=0, null=1),
    ),
    Case(
        Histogram(
            column="seen", edges=("2026-01-01T12:00:00+00:00", "2026-01-02"), share_of="2026-01-01T14:00:00+02:00"
        ),
        2 / 3,
    ),
    Case(Histogram(column="local", edges=("2026-01-01", "2026-01-02"), share_of="2026-01-01"), 1 / 3),
    Case(Histogram(column="none_number", edges=(0, 1)), 0, counted=0),
    Case(Histogram(column="none_number", edges=(0, 1), share_of=0), None),
    Case(Histogram(column="id", edges=(0, 1), where=NOBODY), None),
    Case(
        Histogram(column="id", bins=2), 2, counted=6, details=bins((1, 3.5, 3), (3.5, 6, 3), below=0, above=0, null=0)
    ),
    Case(Histogram(column="id", bins=2, share_of=6), 3 / 6),
    Case(Histogram(column="id", bins=2, share_of=7), 0.0),
    Case(Histogram(column="constant", bins=4), 1, details=bins((3, 3, 6), below=0, above=0, null=0)),
    Case(
        Histogram(column="price", bins=3),
        3,
        details=bins(
            (-5, 0.03333333333333333, 1),
            (0.03333333333333333, 5.066666666666666, 3),
            (5.066666666666666, 10.1, 1),
            below=0,
            above=0,
            null=1,
        ),
    ),
    Case(Histogram(column="big", bins=2), 2, details=bins((-BIG, 0, 1), (0, BIG, 4), below=0, above=0, null=1)),
    Case(
        Histogram(column="ratio", bins=5),
        4,
        details=bins((0, 0.5, 2), (0.5, 1, 1), (1, 1.5, 1), (1.5, 2, 0), (2, 2.5, 1), below=0, above=0, null=1),
    ),
    Case(Histogram(column="wild", bins=5), None),
    Case(
        Histogram(column="wild", bins=2, where="id <> 3"),
        2,
        details=bins((-1, 0, 1), (0, 1, 1), below=0, above=2, null=1),
    ),
    Case(Histogram(column="nested.inner", bins=5), 4, counted=4),
    Case(Histogram(column="none_number", bins=5), None, counted=0),
    Case(Histogram(column="id", bins=5, where=NOBODY), None),
    Case(
        KllBuckets(column="id", buckets=2),
        3 / 6,
        counted=6,
        details=bins((1, 3.5, 3), (3.5, 6, 3), unranked=0, error=0),
    ),
    Case(KllBuckets(column="constant"), 1.0, details=bins((3, 3, 6), unranked=0, error=0)),
    Case(
        KllBuckets(column="ratio", buckets=5),
        2 / 5,
        details=bins((0, 0.5, 2), (0.5, 1, 1), (1, 1.5, 1), (1.5, 2, 0), (2, 2.5, 1), unranked=1, error=0),
    ),
    Case(KllBuckets(column="price", buckets=3), 3 / 5, counted=5),
    Case(KllBuckets(column="day", buckets=2), 4 / 5),
    Case(KllBuckets(column="nested.inner"), 1 / 4),
    Case(KllBuckets(column="wild"), None),
    Case(KllBuckets(column="none_number"), None, counted=0),
    Case(KllBuckets(column="id", where=NOBODY), None),
]
CASES: list[Case] = [*DISTINCT, *DUPLICATES, *ASSOCIATION, *QUANTILES, *HISTOGRAM, *BINS]
