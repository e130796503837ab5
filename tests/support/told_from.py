"""Naive Bayes as it is written down, row by row: what predictions are held against."""

from collections import Counter
from collections.abc import Sequence
from math import inf, log

Row = tuple[str, Sequence[str]]


def scores(row: Row, learned: Sequence[Row], vocabulary: int) -> dict[str, float]:
    """By class, sum_i f_i log((N_ki + 0.1) / (N_k + 0.1 V)) and the logarithm of its rows.

    Tokens that no other row has are left out."""
    found, known = {}, {token for _, tokens in learned for token in tokens}
    for name in sorted({each for each, _ in learned}):
        counts = Counter(token for each, tokens in learned if each == name for token in tokens)
        rows, total = sum(1 for each, _ in learned if each == name), counts.total() + 0.1 * vocabulary
        found[name] = log(rows) + sum(log((counts[token] + 0.1) / total) for token in row[1] if token in known)
    return found


def allowed(rows: Sequence[Row]) -> list[set[str]]:
    """Of each row the classes that it may be taken for, once it is left out: those with the greatest score."""
    vocabulary = len({token for _, tokens in rows for token in tokens})
    return [_best(scores(row, [*rows[:at], *rows[at + 1 :]], vocabulary)) for at, row in enumerate(rows)]


def _best(found: dict[str, float]) -> set[str]:
    most = max(found.values(), default=-inf)
    return {name for name, score in found.items() if score >= most - 1e-9}
