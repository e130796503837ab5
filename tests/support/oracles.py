"""States of each kind of component made from plain values, without Spark: what the laws are tested on."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from hashlib import blake2b
from math import fsum
from typing import Any

import datasketches
import pyarrow

from treaty.engine.components.comoments import CoMoments
from treaty.engine.components.dictionary_encoding import encode_texts
from treaty.engine.components.frequencies import FrequencyTable
from treaty.engine.components.moments import Moments
from treaty.engine.components.naive_bayes import TokenCounts
from treaty.engine.components.sketches import PARAMETER
from treaty.engine.components.unions.frequent_union import packed_sketch

Values = Sequence[Any]


def present(values: Values) -> list[Any]:
    return [value for value in values if value is not None]


def _sum(values: Values) -> Any:
    return sum(present(values)) if present(values) else None


def _extreme(pick: Callable[..., Any]) -> Callable[[Values], Any]:
    return lambda values: pick(present(values), default=None)


def _moments(values: Values) -> tuple[int, float, float]:
    numbers = [float(value) for value in present(values)]
    if not numbers:
        return Moments.zero
    mean = fsum(numbers) / len(numbers)
    return len(numbers), mean, fsum((number - mean) ** 2 for number in numbers)


def _higher_moments(values: Values) -> tuple[int, float, float, float, float]:
    count, mean, _ = _moments(values)
    deviations = [float(value) - mean for value in present(values)]
    m2, m3, m4 = (fsum(each**power for each in deviations) for power in (2, 3, 4))
    return count, mean, m2, m3, m4


def _co_moments(values: Values) -> tuple[int, float, float, float, float, float]:
    pairs = [(float(a), float(b)) for a, b in present(values) if a is not None and b is not None]
    if not pairs:
        return CoMoments.zero
    x, y = (fsum(column) / len(pairs) for column in zip(*pairs, strict=True))
    products = [((a - x) ** 2, (b - y) ** 2, (a - x) * (b - y)) for a, b in pairs]
    m2x, m2y, cxy = map(fsum, zip(*products, strict=True))
    return len(pairs), x, y, m2x, m2y, cxy


def _distinct(values: Values) -> bytes | None:
    sketch = datasketches.hll_sketch(PARAMETER.hll_lg_k, datasketches.tgt_hll_type.HLL_8)
    for value in present(values):
        # As Spark's statement: the sketch ignores '', and -0.0 is 0.0.
        sketch.update(str(value + 0.0 if isinstance(value, float) else value) or chr(0))
    return bytes(sketch.serialize_compact())


def _real(value: Any) -> Any:
    """A date as the sketch has it, in microseconds; a number as it is."""
    return value.toordinal() * 86_400_000_000 if isinstance(value, date) else value


def _quantiles(values: Values) -> bytes | None:
    sketch = datasketches.kll_doubles_sketch(PARAMETER.kll_k)
    for value in present(values):
        sketch.update(float(_real(value)))
    return bytes(sketch.serialize())


def _heavy(values: Values) -> bytes | None:
    sketch = datasketches.frequent_strings_sketch(10)
    for value in present(values):
        sketch.update(str(value))
    return packed_sketch(bytes(sketch.serialize()), len(present(values)))


def _theta(values: Values) -> bytes | None:
    sketch = datasketches.update_theta_sketch(PARAMETER.theta_lg_k)
    for value in present(values):
        sketch.update(str(value))
    return bytes(sketch.compact().serialize())


def _frequencies(values: Values) -> Any:
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    counts = Counter(tuple(None if v is None else str(v) for v in row) for row in rows if set(row) != {None})
    if not counts:
        return None
    keys = {f"k{at}": pyarrow.array(column, pyarrow.string()) for at, column in enumerate(zip(*counts, strict=True))}
    return FrequencyTable(
        (encode_texts(pyarrow.table({**keys, "n": pyarrow.array(counts.values(), pyarrow.int64())})),)
    )


def _references(values: Values) -> tuple[int, int]:
    """Positive values stand for rows that are not found."""
    return len(present(values)), sum(1 for value in present(values) if value > 0)


def _matches(values: Values) -> tuple[int, ...]:
    """A value stands for a row of ours in one of four states, null for one that is only in the other dataset."""
    states = Counter(value % 4 for value in present(values))
    return (len(present(values)), *(states[at] for at in range(4)), len(values) - len(present(values)))


def _class(value: Any) -> int:
    """The place in CLASSES of what a text reads as; a number stands for the place itself."""
    if not isinstance(value, str):
        return int(value % 7)
    forms = (
        r"[+-]?\d+",
        r"[+-]?(\d+[.]\d*|[.]\d+)",
        r"[+-]?(\d+[.]?\d*|[.]\d+)[eE][+-]?\d+",
        "true|false",
        r"\d{4}-\d\d-\d\d",
        r"\d{4}-\d\d-\d\d[T ].+",
    )
    return next((at for at, form in enumerate(forms) if re.fullmatch(form, value)), 6)


def _naive_bayes(values: Values) -> Any:
    """(target, *inputs) of each row; a single value stands for a target and an input that tell of each other."""
    rows = [value if isinstance(value, tuple) else (value and value % 3, value) for value in values if value]
    return bags([(str(target), list(map(str, inputs))) for target, *inputs in rows if target is not None])


def bags(rows: Sequence[tuple[str, Sequence[str]]], held: Sequence[int] | None = None) -> Any:
    """The state of rows of a class and tokens; `held` are the places of those that are judged, and not learned of."""
    counts: Counter[tuple[int | None, str, int]] = Counter()
    for at, (target, tokens) in enumerate(rows):
        content = int.from_bytes(blake2b(repr((target, tokens)).encode(), digest_size=8).digest(), signed=True)
        hashes = [None, content] if held is None else [content if at in held else None]
        counts.update((each, target, feature) for each in hashes for feature in (-1, *map(bucket, tokens)))
    if not counts:
        return None
    hashes, targets, features = zip(*counts, strict=True)
    columns = {"t": pyarrow.array(targets, pyarrow.string()), "f": pyarrow.array(features, pyarrow.int32())}
    table = {
        "h": pyarrow.array(hashes, pyarrow.int64()),
        **columns,
        "n": pyarrow.array(counts.values(), pyarrow.int64()),
    }
    return TokenCounts.of(pyarrow.table(table))


def bucket(token: str) -> int:
    """A bucket of its own for every token of the tests."""
    return int.from_bytes(blake2b(token.encode(), digest_size=4).digest()) % 2**20


def _confusion(values: Values) -> tuple[tuple[str, str, int], ...]:
    pairs = Counter((str(value % 3), str(value % 2)) for value in present(values))
    return tuple((*pair, rows) for pair, rows in sorted(pairs.items()))


STATE_OF: dict[str, Callable[[Values], Any]] = {
    "count": len,
    "count_if": lambda values: sum(1 for value in present(values) if value > 0),
    "sum": _sum,
    "min": _extreme(min),
    "max": _extreme(max),
    "moments": _moments,
    "higher_moments": _higher_moments,
    "type_counts": lambda values: tuple(sum(_class(value) == at for value in present(values)) for at in range(7)),
    "co_moments": _co_moments,
    "distinct": _distinct,
    "quantiles": _quantiles,
    "heavy_hitters": _heavy,
    "pattern_profile": _heavy,
    "theta": _theta,
    "frequencies": _frequencies,
    "references": _references,
    "matches": _matches,
    "naive_bayes": _naive_bayes,
    "confusion": _confusion,
}
