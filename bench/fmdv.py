"""How well patterns learned from a part of a lake tell columns apart: section 5.1 of Auto-Validate (SIGMOD 2021).

`build_index(columns, path)`, then `infer_from(path)` gives `infer(values) -> validator | None`, whose `check(values)`
is True where it reports no issue: the form in which the evaluation asks any method."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.patterns.candidates import Match, matcher
from engine.patterns.choosing import Taste
from engine.patterns.index import Index, indexed
from engine.patterns.index_file import load, save
from engine.patterns.infer import Learned, infer
from engine.patterns.nonconforming import critical


def build_index(columns: Iterable[Any], path: str | Path) -> Index:
    """Writes the index of columns to a file. A column is a sequence of texts, or has them as `values`, and perhaps says
    of which `group` it is."""
    listed = list(columns)
    texts = [[each for each in getattr(column, "values", column) if each is not None] for column in listed]
    groups = [getattr(column, "group", None) for column in listed]
    index = indexed(texts, sources=groups if None not in groups else ())
    save(index, path)
    return index


def infer_from(path: str | Path, taste: Taste | None = None) -> "Callable[[Sequence[str]], Validator | None]":
    """A function from a column's first values to what validates the later ones; None where nothing is promised."""
    index = load(path)

    def of(values: Sequence[str]) -> Validator | None:
        learned = infer(list(values), index, taste).learned
        return None if learned is None else Validator(learned)

    return of


class Validator:
    """A promise as the evaluation asks it. An issue is an error: significantly more non-conforming values than when it
    was learned, and more than its floor; `warnings` also counts what is significant alone."""

    def __init__(self, learned: Learned, *, warnings: bool = False) -> None:
        self.learned = learned
        self.floor = 0.0 if warnings else learned.floor
        self._match: Match = matcher(learned.pattern)

    def check(self, values: Sequence[str | None]) -> bool:
        """True where no issue is reported."""
        texts = [value for value in values if value is not None]
        return self._passes(((text, 1) for text in texts), len(texts))

    def check_unique(self, unique: Sequence[str], counts: "np.ndarray[Any, Any]") -> bool:
        """The same, of distinct values with how often each occurs."""
        pairs = sorted(zip(unique, counts.tolist(), strict=True), key=lambda pair: -pair[1])
        return self._passes(pairs, int(counts.sum()))

    def _passes(self, counted: Iterable[tuple[str, int]], of: int) -> bool:
        """Looks no further than the answer is certain."""
        least = critical(self.learned.trained, of, self.learned.alpha)
        if least is None:
            return True
        most = max(least - 1, int((self.floor + self.learned.trained.share) * of))
        bad, good = 0, 0
        for text, count in counted:
            if self._match(text):
                good += count
            else:
                bad += count
            if bad > most or of - good <= most:
                break
        return bad <= most
