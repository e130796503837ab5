"""The least differences of statistics that count as a change."""

from math import isfinite

from treaty.engine.statistics.summaries import NumberSummary, Summary, TextSummary


def one_row(of: Summary) -> float:
    """What one row weighs among all."""
    return 1.0 / max(1, of.present)


def one_missing(of: Summary) -> float:
    """What one row weighs among all; 0 where every row has a value: the first that has none is told."""
    return 0.0 if of.present == of.rows else 1.0 / of.rows


def one_new(tally: str, of: Summary) -> float:
    """What one row weighs; 0 where all of the newest partition recur, for then another is next to never seen.

    The share of what occurs once is the chance that the next one is new (Good 1953, after Turing)."""
    known = getattr(of, tally)
    return 0.0 if known is not None and known.recur else one_row(of)


def one(_: Summary) -> float:
    """One of what is counted."""
    return 1.0


def one_distinct(of: Summary) -> float:
    """One value, or the standard error of the sketch that counted them."""
    return max(1.0, of.guessed)


def one_distinct_of_all(of: Summary) -> float:
    """What one value weighs among all, or the standard error of the sketch."""
    return one_distinct(of) * one_row(of)


def one_text(of: Summary) -> float:
    """What one text of the usual length weighs among all."""
    usual = (of.length or 0.0) / max(1, of.present) if isinstance(of, TextSummary) else 0.0
    return max(1.0, usual) / max(1, of.present)


def hundredth(of: Summary) -> float:
    """A hundredth of a standard deviation of the values."""
    spread = of.deviation if isinstance(of, NumberSummary) else 0.0
    return 0.01 * spread if isfinite(spread) else 0.0


def hundredth_of_all(of: Summary) -> float:
    """A hundredth of a standard deviation for every value."""
    return hundredth(of) * max(1, of.present)
