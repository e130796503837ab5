"""Measure 500 checks without Spark, and 10,000 checks on 2,000 columns with it."""

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from bench.engine.statements import TABLE, document
from treaty.contracts.document.model import ContractCheck as Promise
from treaty.contracts.document.reader import read
from treaty.contracts.predicates import parser
from treaty.engine.checks.binding import bind
from treaty.engine.dsl import Check, at_least
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.session.verify import verify
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of

NOW = datetime(2026, 11, 21, tzinfo=UTC)
TEXTS = ("product", "customer", "status", "country", "city", "email", "phone", "title", "review", "coupon")
NUMBERS = ("order_id", "customer_id", "price", "amount", "quantity", "score")
OF_TEXT = ("completeness", "approx_count_distinct", "minimum", "maximum")
OF_NUMBERS = (*OF_TEXT, "mean", "standard_deviation")
PARTS = ("parse", "bind", "plan", "evaluate")


def checks(number: int, first: int = 0) -> list[Mapping[str, Any]]:
    """Return `number` checks of several kinds; a tenth are predicates, all different, also for another `first`."""
    kinds = [(kind, {"column": name}) for name in TEXTS for kind in OF_TEXT]
    kinds += [(kind, {"column": name}) for name in NUMBERS for kind in OF_NUMBERS]
    places = range(first, first + number)
    return [_check(at, *kinds[at % len(kinds)]) if at % 10 else _predicate(at) for at in places]


def _check(at: int, analyzer: str, words: Mapping[str, Any]) -> Mapping[str, Any]:
    limit = {"mustNotBe": "x" if analyzer in ("minimum", "maximum") and words["column"] in TEXTS else -1}
    return _entry(at, {"analyzer": analyzer, **words, **limit})


def _predicate(at: int) -> Mapping[str, Any]:
    text = f"amount > {at} OR status IN ('new', 'paid') AND quantity < {at}"
    return _entry(at, {"analyzer": "compliance", "predicate": text, "mustBeGreaterOrEqualTo": 0})


def _entry(at: int, words: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"id": f"c{at}", "type": "custom", "engine": "treaty", "implementation": words}


def beside_spark(frame: Any, rounds: int, number: int = 500) -> Iterator[dict[str, float]]:
    """Parse, bind, plan and evaluate `number` checks; yield the CPU seconds of each part by round, without the first.

    Every round has its own contract, so no predicate is cached. The states are computed beforehand."""
    schema = schema_of(frame)
    texts = [document(checks(number, first=at * number), schema.names) for at in range(rounds + 1)]
    packed = [_measured(frame, text, schema) for text in texts]
    times = [_timed(_steps(text, schema, states)) for text, states in zip(texts, packed, strict=True)]
    return iter(times[1:])


def _measured(frame: Any, text: bytes, schema: Any) -> Mapping[str, bytes]:
    scan_plan = bind(read(text).object(TABLE), schema).plan
    # Clear the predicate caches: each predicate is new, as in a process that evaluates one contract.
    parser._written.cache_clear()
    parser._read.cache_clear()
    return {name: bag.pack() for name, bag in scan(frame, scan_plan).items()}


def _timed(steps: Iterator[Any]) -> dict[str, float]:
    marks = [time.process_time(), *(time.process_time() for _ in steps)]
    return {name: end - begin for name, begin, end in zip(PARTS, marks, marks[1:], strict=False)}


def _steps(text: bytes, schema: Any, packed: Mapping[str, bytes]) -> Iterator[Any]:
    contract = read(text)
    yield contract
    bound = bind(contract.object(TABLE), schema)
    yield bound
    yield bound.plan
    delta = sorted(packed)
    run = evaluate(
        EvaluationRequest(
            contract=contract,
            object_name=TABLE,
            states=packed,
            delta=delta,
            schema=schema,
            started_at=NOW,
            finished_at=NOW,
            checks=bound,
        )
    )
    assert run.verdict == "passed", [each for each in run.results if each.outcome != "passed"][:3]
    yield run


def wide(session: Any, columns: int = 2000, rows: int = 1000) -> Callable[[], Any]:
    """Return a function that verifies five checks on every column of a wide table."""
    frame = session.range(rows).selectExpr(*(f"id * {at} % 101 as c{at}" for at in range(columns)))
    kinds = ("completeness", "minimum", "maximum", "mean", "approx_count_distinct")
    named = ((kind, f"c{at}") for at in range(columns) for kind in kinds)
    promises = tuple(
        Promise(
            id=f"{column}-{kind}",
            name="",
            kind="treaty",
            severity="error",
            analyzer=kind,
            arguments={"column": column},
            assertion=at_least(0),
        )
        for kind, column in named
    )
    # No document may have so many checks, but code may.
    contract = Check("wide", promises=promises).contract()

    def run() -> None:
        verified = verify(frame, contract)
        assert verified.verdict == "passed", [each for each in verified.results if each.outcome != "passed"][:3]

    return run
