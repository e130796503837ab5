"""Cases of rows, nulls, numbers, text, types, freshness and schema."""

from support.analyzer_table import Case

CASES: list[Case] = []
