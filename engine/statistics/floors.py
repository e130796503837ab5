"""Define the least difference of each statistic that counts as a change."""

from math import isfinite

from treaty.engine.statistics.summaries import NumberSummary, Summary, TextSummary


def one_row(of: Summary) -> float:
    """Return the weight of one row."""
    return 1.0 / max(1, of.present)


def one_missing(of: Summary) -> float:
    """Return the weight of one row; 0 if every row has a value, so that the first missing one counts."""
    return 0.0 if of.present == of.rows else 1.0 / of.rows


def one_new(tally: str, of: Summary) -> float:
    """Return the weight of one row; 0 if every value of the newest partition recurs.

    Then a new value is very unlikely: the share of values that occur once estimates the probability that the next
    one is new (Good 1953, after Turing)."""
    counts = getattr(of, tally)
    return 0.0 if counts is not None and counts.recur else one_row(of)


def one(_: Summary) -> float:
    """Return a count of one."""
    return 1.0


def one_distinct(of: Summary) -> float:
    """Return one value, or the standard error of the sketch that counted them."""
    return max(1.0, of.guessed)


def one_distinct_of_all(of: Summary) -> float:
    """Return the weight of one value, or of the sketch's standard error, among all values."""
    return one_distinct(of) * one_row(of)


def one_text(of: Summary) -> float:
    """Return the weight of one text of average length among all."""
    usual = (of.length or 0.0) / max(1, of.present) if isinstance(of, TextSummary) else 0.0
    return max(1.0, usual) / max(1, of.present)


def hundredth(of: Summary) -> float:
    """Return a hundredth of the standard deviation of the values."""
    spread = of.deviation if isinstance(of, NumberSummary) else 0.0
    return 0.01 * spread if isfinite(spread) else 0.0


def hundredth_of_all(of: Summary) -> float:
    """Return a hundredth of the standard deviation, times the number of values."""
    return hundredth(of) * max(1, of.present)
