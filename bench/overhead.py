"""What 500 checks cost beside Spark, and what 10,000 checks on a table of 2,000 columns cost with it."""

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from bench.statements import TABLE, document
from contracts.reading import read
from engine.checks import bind
from engine.spark.scan import scan
from engine.spark.sources import schema_of
from engine.verify import judge, verify

NOW = datetime(2026, 11, 21, tzinfo=UTC)
TEXTS = ("product", "customer", "status", "country", "city", "email", "phone", "title", "review", "coupon")
NUMBERS = ("order_id", "customer_id", "price", "amount", "quantity", "score")
OF_TEXT = ("completeness", "approx_count_distinct", "minimum", "maximum")
OF_NUMBERS = (*OF_TEXT, "mean", "standard_deviation")
PARTS = ("parse", "bind", "plan", "evaluate")


def checks(number: int) -> list[Mapping[str, Any]]:
    """That many checks of several kinds; a fifth are predicates, no two alike."""
    kinds = [*((kind, {"column": name}) for name in TEXTS for kind in OF_TEXT)]
    kinds += [(kind, {"column": name}) for name in NUMBERS for kind in OF_NUMBERS]
    return [_check(at, *kinds[at % len(kinds)]) if at % 5 else _predicate(at) for at in range(number)]


def _check(at: int, analyzer: str, words: Mapping[str, Any]) -> Mapping[str, Any]:
    limit = {"mustNotBe": "x" if analyzer in ("minimum", "maximum") and words["column"] in TEXTS else -1}
    return _entry(at, {"analyzer": analyzer, **words, **limit})


def _predicate(at: int) -> Mapping[str, Any]:
    text = f"amount > {at} OR status IN ('new', 'paid') AND quantity < {at}"
    return _entry(at, {"analyzer": "compliance", "predicate": text, "mustBeGreaterOrEqualTo": 0})


def _entry(at: int, words: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"id": f"c{at}", "type": "custom", "engine": "treaty", "implementation": words}


def beside_spark(frame: Any, number: int = 500) -> Callable[[], dict[str, float]]:
    """A function that parses, binds, plans and judges that many checks, and says what each took in seconds.

    The states are computed once, beforehand."""
    schema = schema_of(frame)
    text = document(checks(number), schema.names)
    contract = read(text)
    packed = {name: bag.pack() for name, bag in scan(frame, bind(contract.object(TABLE), schema).plan).items()}

    def run() -> dict[str, float]:
        marks = [time.process_time()]
        for step in _steps(text, schema, packed):
            marks.append(time.process_time())
            assert step is not None
        return {name: end - begin for name, begin, end in zip(PARTS, marks, marks[1:], strict=False)}

    return run


def _steps(text: bytes, schema: Any, packed: Mapping[str, bytes]) -> Iterator[Any]:
    contract = read(text)
    yield contract
    bound = bind(contract.object(TABLE), schema)
    yield bound
    yield bound.plan
    run = judge(contract, TABLE, states=packed, delta=sorted(packed), schema=schema, started=NOW, finished=NOW)
    assert run.verdict == "passed", [each for each in run.results if each.outcome != "passed"][:3]
    yield run


def wide(session: Any, columns: int = 2000, rows: int = 1000) -> Callable[[], Any]:
    """A function that verifies five checks on every column of a wide table, in one verification."""
    frame = session.range(rows).selectExpr(*(f"id * {at} % 101 as c{at}" for at in range(columns)))
    kinds = ("completeness", "minimum", "maximum", "mean", "approx_count_distinct")
    named = [(kind, {"column": f"c{at}", "mustBeGreaterOrEqualTo": 0}) for at in range(columns) for kind in kinds]
    asked = [_entry(at, {"analyzer": kind, **words}) for at, (kind, words) in enumerate(named)]
    contract = read(document(asked, frame.columns))

    def run() -> None:
        found = verify(frame, contract)
        assert found.verdict == "passed", [each for each in found.results if each.outcome != "passed"][:3]

    return run
