"""The states of snapshots made from their values without Spark, so that drafts learn what the product learns."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import datasketches
import numpy
import pyarrow

from contracts.logical_types import Column, Schema
from contracts.predicates import quote
from engine import states
from engine.analyzers.bound import BoundComponent
from engine.analyzers.coding import coded
from engine.analyzers.frequencies import Counts
from engine.analyzers.sketches import PARAMETER
from engine.plan import Plan, plan
from engine.profile.profile import History, profile_of, profile_plan
from engine.profile.suggestions import worth_counting
from engine.states import States

Values = Sequence[Any]


def history(
    types: Mapping[str, str], days: Sequence[str], snapshots: Sequence[Mapping[str, Any]], table: str
) -> History:
    """The history of these snapshots, with counts of values of the columns that may be unique."""
    schema = Schema(tuple(Column(name, kind) for name, kind in types.items()))
    columns = tuple(profile_of(column, schema) for column in schema)
    scanned = [_bag(profile_plan(columns), schema, each) for each in snapshots]
    found = History(columns, tuple(zip(days, scanned, strict=True)))
    counted = plan([each.unique for each in worth_counting(found, table) if each.unique])
    return found.beside({day: _bag(counted, schema, each) for day, each in zip(days, snapshots, strict=True)})


def _bag(wanted: Plan, schema: Schema, snapshot: Mapping[str, Any]) -> States:
    listed = {quote(name): _present(values) for name, values in snapshot.items()}
    rows = max((len(values) for values in snapshot.values()), default=0)
    made = {part.key: _state(part, listed, rows) for part in (*wanted.scan, *wanted.groupings) if _known(part, listed)}
    return states.of(wanted, made, schema)


def _known(part: BoundComponent, listed: Mapping[str, Values]) -> bool:
    """Whether the snapshot has the column, and values of its type."""
    if part.component.kind not in STATE_OF:
        return False
    return all(_named(each.sql) in listed and _fits(each.type, listed[_named(each.sql)]) for each in part.operands)


def _named(sql: str) -> str:
    return sql.removeprefix("char_length(").removesuffix(")") if sql.startswith("char_length(") else sql


def _fits(type_: str, values: Values) -> bool:
    return not values or type_ == "int" or (type_ == "string") == isinstance(values[0], str)


def _present(values: Any) -> Values:
    if values.dtype == object:
        return [value for value in values.tolist() if value is not None]
    return values[~numpy.isnan(values)].tolist()  # type: ignore[no-any-return]


def _state(part: BoundComponent, listed: Mapping[str, Values], rows: int) -> Any:
    if not part.operands:
        return rows
    sql = part.operands[0].sql
    values = listed[_named(sql)]
    return STATE_OF[part.component.kind]([len(value) for value in values] if _named(sql) != sql else values)


def _moments(values: Values) -> tuple[int, float, float]:
    numbers = numpy.array(values, dtype=float)
    return (
        (len(numbers), float(numbers.mean()), float(((numbers - numbers.mean()) ** 2).sum()))
        if values
        else (0, 0.0, 0.0)
    )


def _distinct(values: Values) -> bytes:
    sketch = datasketches.hll_sketch(PARAMETER.hll_lg_k, datasketches.tgt_hll_type.HLL_8)
    for value in set(values):
        sketch.update(str(value))
    return bytes(sketch.serialize_compact())


def _quantiles(values: Values) -> bytes:
    sketch = datasketches.kll_doubles_sketch(PARAMETER.kll_k)
    sketch.update(numpy.array(values, dtype=float))
    return bytes(sketch.serialize())


def _heavy(values: Values) -> bytes:
    sketch = datasketches.frequent_strings_sketch(10)
    for value, count in Counter(values).items():
        sketch.update(value, count)
    return bytes(sketch.serialize())


def _frequencies(values: Values) -> Any:
    counts = Counter(map(str, values))
    if not counts:
        return None
    keys, times = pyarrow.array(counts, pyarrow.string()), pyarrow.array(counts.values(), pyarrow.int64())
    return Counts((coded(pyarrow.table({"k0": keys, "n": times})),))


STATE_OF: Mapping[str, Callable[[Values], Any]] = {
    "count": len,
    "sum": lambda values: sum(values) if values else None,
    "min": lambda values: min(values, default=None),
    "max": lambda values: max(values, default=None),
    "moments": _moments,
    "distinct": _distinct,
    "quantiles": _quantiles,
    "heavy_hitters": _heavy,
    "frequencies": _frequencies,
}
