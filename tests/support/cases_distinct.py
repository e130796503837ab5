"""Cases of distinct values, quantiles and association."""

from support.analyzer_table import Case

CASES: list[Case] = []
