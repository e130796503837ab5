"""Map statistics of programs to the analyzers that checks measure them with. A new one is a row in `MEASURES`."""

from collections.abc import Callable, Mapping

from treaty.contracts.predicates.parser import quote
from treaty.engine.analyzers import distribution_distance
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.characters import MeanCharacters, UpperShare
from treaty.engine.analyzers.distinct import ApproxCountDistinct, ApproxDistinctness
from treaty.engine.analyzers.nulls import Completeness
from treaty.engine.analyzers.numbers import Maximum, Mean, Minimum, Range, StandardDeviation, Sum
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.analyzers.rows import Compliance, Size
from treaty.engine.analyzers.text import MaximumLength, MeanLength, MinimumLength

Measure = Callable[[str], Analyzer]


def _quantile(share: float) -> Measure:
    return lambda column: ApproxQuantile(column=column, quantile=share)


def _present_that(condition: str) -> Measure:
    """Return a factory for the share of non-null values that satisfy the condition."""

    def analyzer(column: str) -> Analyzer:
        name = quote(column)
        return Compliance(predicate=condition.format(name), where=f"{name} IS NOT NULL")

    return analyzer


def _characters(of: str) -> Measure:
    return lambda column: MeanCharacters.model_validate({"column": column, "of": of})


def _distance_measure(by: str, of: str | None) -> Measure:
    return lambda column: distribution_distance.DistributionDistance.model_validate(
        {"column": column, "by": by, "of": of}
    )


def _all_apart(columns_by_type: Mapping[str | None, tuple[str, ...]]) -> dict[str, Measure]:
    return {
        distribution_distance.statistic(by, of): _distance_measure(by, of)
        for of, names in columns_by_type.items()
        for by in names
    }


def _plain(kind: type[Analyzer]) -> Measure:
    return lambda column: kind.model_validate({"column": column})


ROWS: Analyzer = Size()
PRESENT = "complete_ratio"
OF_ALL: Mapping[str, Measure] = {
    PRESENT: _plain(Completeness),
    "distinct_count": _plain(ApproxCountDistinct),
    "unique_ratio": _plain(ApproxDistinctness),
}
OF_NUMBERS: Mapping[str, Measure] = {
    "minimum": _plain(Minimum),
    "maximum": _plain(Maximum),
    "mean": _plain(Mean),
    "median": _quantile(0.5),
    "range": _plain(Range),
    "sum": _plain(Sum),
    "standard_deviation": _plain(StandardDeviation),
    "quantile_05": _quantile(0.05),
    "quantile_95": _quantile(0.95),
    "zero_ratio": _present_that("{} = 0"),
    "negative_ratio": _present_that("{} < 0"),
    **_all_apart(distribution_distance.OF_NUMBERS),
}
OF_TEXTS: Mapping[str, Measure] = {
    "mean_length": _plain(MeanLength),
    "minimum_length": _plain(MinimumLength),
    "maximum_length": _plain(MaximumLength),
    "padded_ratio": _present_that("length(trim({0})) <> length({0})"),
    **{f"mean_{of}": _characters(of) for of in ("letters", "digits", "punctuation", "upper", "blanks")},
    "upper_share": _plain(UpperShare),
    **_all_apart(distribution_distance.OF_TEXTS),
}
MEASURES: Mapping[str, Measure] = {**OF_ALL, **OF_NUMBERS, **OF_TEXTS}
