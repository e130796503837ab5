"""Days that Spark read, merged by month: judged as before, and read again on real files where one of them changes."""

from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

from support.orders import NOW, check, contract

from treaty.engine.core.partitions.months import members
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest, TableSource
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.states import bag as bags
from treaty.engine.states import inventory
from treaty.engine.states.state_files import StateFiles
from treaty.registry.measurements.states import merged_days

COLUMNS = [
    {"name": "id", "logicalType": "integer"},
    {"name": "word", "logicalType": "string"},
    {"name": "day", "logicalType": "date", "partitioned": True, "partitionKeyPosition": 1},
]
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("size", {}), ("completeness", {"column": "word"}), ("completeness", {"column": "word", "where": "id > 40"}),
    ("sum", {"column": "id"}), ("mean", {"column": "id"}), ("minimum", {"column": "id"}), ("maximum", {"column": "id"}),
    ("uniqueness", {"columns": ["id"]}), ("uniqueness", {"columns": ["id", "word"]}), ("entropy", {"column": "word"}),
    ("approx_count_distinct", {"column": "id"}), ("approx_quantile", {"column": "id", "quantile": 0.3}),
    ("data_type", {"column": "word", "type": "string"}), ("standard_deviation", {"column": "id"}),
    ("kurtosis", {"column": "id"}), ("correlation", {"column": "id", "other": "id"}),
]  # fmt: skip
GIVEN = contract(
    *(
        check(name, f"{at}", scope="dataset", mustBeGreaterOrEqualTo=-(10**9), **words)
        for at, (name, words) in enumerate(ASKED)
    ),
    properties=COLUMNS,
)
# Sums of powers are rounded in the order in which days are merged.
ROUNDED = {"standard_deviation", "kurtosis", "correlation"}
CHANGED = "day=2026-01-03"


def write(spark: Any, path: Path, mode: str, months: tuple[int, ...], days: range) -> None:
    rows = [
        (100 * month + day * at % 37, None if at % 7 == 0 else f"w{at % 5}", f"2026-0{month}-{day:02d}")
        for month in months
        for day in days
        for at in range(20)
    ]
    frame = spark.createDataFrame(rows, "id bigint, word string, day string").coalesce(1)
    frame.write.option("partitionOverwriteMode", "dynamic").partitionBy("day").mode(mode).parquet(str(path))


def values(states: dict[str, bytes], files: StateFiles) -> dict[str, Any]:
    found = evaluate(
        EvaluationRequest(
            contract=GIVEN,
            object_name="orders",
            states=states,
            delta=(),
            started_at=NOW,
            finished_at=NOW,
            files=files,
            schema=_schema(states),
        )
    )
    told = {each.check_id: each.value for each in found.results if each.measurement}
    assert len(told) == len(ASKED)
    assert None not in told.values()
    return told


def _schema(states: dict[str, bytes]) -> Any:
    return inventory.describe_bag(max(states.items())[1])[0]


def agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    rounded = {str(at) for at, (name, _) in enumerate(ASKED) if name in ROUNDED}
    return all(isclose(one[at], other[at], rel_tol=1e-9) if at in rounded else one[at] == other[at] for at in one)


def test_months_say_what_their_days_said_and_are_read_again_as_a_whole(spark: Any, tmp_path: Path) -> None:
    path, files = tmp_path / "t", StateFiles(str(tmp_path / "states"))
    write(spark, path, "overwrite", (1, 2), range(1, 6))
    request = MeasureRequest(
        source=TableSource(str(path), partition_by=("day",)),
        contract=GIVEN.source,
        object="orders",
        state_url=files.url,
    )
    first = measure(spark, request)
    merged = ["day=2026-01-[01-05]", "day=2026-02-[01-05]"]
    folded = {name: bags.merge_packed([first.states[day] for day in members(name)], files) for name in merged}
    assert agree(values(folded, files), values(dict(first.states), files))

    write(spark, path, "overwrite", (1,), range(3, 4))
    changed = measure(spark, replace(request, stored_fingerprints=dict(first.fingerprints)))
    lost = merged_days.lost(folded, changed.states, changed.fingerprints)
    # Equal rows in new files: what is read tells that they changed.
    assert (set(changed.states), lost) == ({CHANGED}, set(members(merged[0])) - {CHANGED})
    held = dict.fromkeys(lost, merged_days.NOTHING)
    again = measure(spark, replace(request, stored_fingerprints=dict(changed.fingerprints), stored_keys=held))
    assert (set(again.states), set(again.added)) == (set(), lost)
    left = merged_days.unmerged_states(folded, changed.states, changed.fingerprints)
    assert set(left) == {merged[1]}
    mixed = {**left, **changed.states, **again.added}
    assert agree(values(mixed, files), values(dict(measure(spark, request).states), files))
