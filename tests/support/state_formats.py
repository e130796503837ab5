"""What every released format of states looks like: fixtures, made once by Spark, never written again.

When a kind of component is new or has another version, or a format has another number, this makes a new folder:

    PYTHONPATH=.:tests python -m support.state_formats format-3
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.base import COMPONENTS, Component
from treaty.engine.components.operands import Operand
from treaty.engine.components.separate_statement import ConfusionCounts, MatchCounts, QueryNumber, ReferenceCounts
from treaty.engine.components.sketches import DistinctSketch, HeavyHitters, QuantileSketch
from treaty.engine.components.theta_sketch import ThetaSketch
from treaty.engine.gate import publication_intent
from treaty.engine.gate.publication_intent import PublicationIntent, StateChange
from treaty.engine.states import envelope, generations
from treaty.engine.states.bag import ComponentState, StateBag
from treaty.engine.states.generations import GenerationVerdict, PartitionEntry, StateFolder
from treaty.engine.states.planning.scan_plan import ROWS, Plan
from treaty.engine.states.state_files import StateFiles

HERE = Path(__file__).parents[1] / "data" / "states"
FORMATS = {"bag": envelope.FORMAT, "generation": generations.FORMAT, "intent": publication_intent.FORMAT}
INLINE, FILED, MANY, FILES, GATE = "inline.bag", "filed.bag", "many.bag", "files", "gate"
INTENT, VALUES = "intent.json", "values.json"
BIGGEST = 200_000
DDL = "id bigint, price decimal(20,4), ratio double, name string, at timestamp, day date, sold boolean"
FIRST = datetime(2026, 1, 1, 6, 30)
# By kind the columns of each state; a kind takes several forms by the type of what it is computed on.
READ: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "count": (("name",),),
    "count_if": (("sold",),),
    "sum": (("id",), ("price",), ("ratio",)),
    "min": (("id",), ("price",), ("ratio",), ("name",), ("at",), ("day",), ("sold",)),
    "max": (("id",), ("price",), ("ratio",), ("name",), ("at",), ("day",), ("sold",)),
    "moments": (("id",), ("price",)),
    "higher_moments": (("price",),),
    "co_moments": (("id", "price"),),
    "type_counts": (("name",), ("id",)),
    "distinct": (("id",), ("name",)),
    "quantiles": (("id",), ("ratio",), ("at",)),
    "heavy_hitters": (("name",),),
    "pattern_profile": (("name",),),
    "theta": (("id",), ("name", "day")),
    "frequencies": (("id",), ("name",), ("name", "day")),
    "naive_bayes": (("name", "day"),),
}
# Sketches lie otherwise in memory when they have seen more values than they hold one by one.
SKETCHED = {"distinct": "id", "quantiles": "id", "theta": "id", "heavy_hitters": "name"}
MANY_ROWS = 6000
# What is read of all rows at once, by statements of its own.
APART: tuple[tuple[Component, Any], ...] = ((ReferenceCounts("a"), (40, 3)), (MatchCounts("a"), (40, 36, 1, 2, 1, 5)))
APART = (*APART, (QueryNumber("a"), Decimal("12.50")), (ConfusionCounts("a"), (("x", "x", 3), ("x", "y", 1))))
TYPES = dict(each.split(" ") for each in DDL.split(", "))


def rows() -> list[tuple[Any, ...]]:
    """Forty rows: nulls, numbers that are none, texts of other scripts and with quotes, one price of many digits."""
    names = [
        "Ada",
        "ada",
        None,
        "",
        "O'Hara",
        'a "quote"',
        "N\u00fa\u00f1ez",
        "\u5c71\u7530",
        "12",
        "3.5",
        "true",
        "2026-01-01",
    ]
    ratios = [None, float("nan"), -0.0, 0.0, 1.5, -2.25, 1e300]
    return [
        (
            None if at % 9 == 8 else at * 1_000_003 - 7,
            None if at % 7 == 6 else Decimal("12345678901234.5678") if at == 5 else Decimal(at) / 8,
            ratios[at % len(ratios)],
            names[at % len(names)],
            FIRST + timedelta(hours=7 * at, microseconds=at),
            date(2026, 1, 1) + timedelta(days=at % 5),
            None if at % 11 == 10 else at % 3 == 0,
        )
        for at in range(40)
    ]


def part(kind: str, *columns: str) -> BoundComponent:
    """A component of that kind on columns of the table."""
    return BoundComponent(COMPONENTS[kind](), tuple(Operand(sql=column, type=TYPES[column]) for column in columns))


def scanned(frame: Any, parts: Sequence[BoundComponent]) -> StateBag:
    """What Spark computes of them."""
    from treaty.engine.spark.scan.scanner import scan

    grouped = tuple(each for each in parts if each.component.grouping)
    others = tuple(each for each in parts if not each.component.grouping)
    found = scan(frame, Plan(scan=(ROWS, *others), groupings=grouped))[""]
    assert not found.failures, found.failures
    return found


def many(spark: Any) -> StateBag:
    """Sketches of many values."""
    frame = spark.range(MANY_ROWS).selectExpr("id", "concat('w', floor(sqrt(id * 400))) as name").coalesce(1)
    return scanned(frame, [part(kind, column) for kind, column in SKETCHED.items()])


def computed(spark: Any) -> StateBag:
    """The states of all kinds, as Spark computes them."""
    frame = spark.createDataFrame(rows(), DDL).coalesce(1)
    found = scanned(frame, [part(kind, *columns) for kind, forms in READ.items() for columns in forms])
    apart = {
        BoundComponent(each, (Operand(sql="a", type="bigint"),)).key: ComponentState(component=each, value=value)
        for each, value in APART
    }
    return replace(found.union(StateBag(apart)), schema=found.schema, failures={"sum/1 sum(nowhere)": "not there"})


def _quantiles(state: bytes) -> Any:
    ranks = QuantileSketch.ranks(state)
    assert ranks
    at = [ranks.quantile(share) for share in (0.1, 0.5, 0.9)]
    return [ranks.rows, ranks.low, *at, ranks.high]


def _frequent(state: bytes) -> Any:
    counts, error = HeavyHitters.values(state)
    most = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:20]
    return {"values": len(counts), "error": error, "rows": HeavyHitters.rows(state), "most": most}


def _grouped(state: Any) -> Any:
    return sorted(([str(each) for each in row.values()] for row in state.table.to_pylist()), key=repr)


TOLD: dict[str, Callable[[Any], Any]] = {
    "distinct": DistinctSketch.estimate,
    "theta": lambda state: asdict(ThetaSketch.estimate(state)),
    "quantiles": _quantiles,
    "heavy_hitters": _frequent,
    "pattern_profile": _frequent,
    "frequencies": _grouped,
    "naive_bayes": lambda state: [[str(each) for each in row.values()] for row in state.table().to_pylist()],
}


def told(state: ComponentState) -> Any:
    """What the state says, as plain data: a sketch by its answers, all others by their exact value."""
    kind = state.component.kind
    if kind in TOLD:
        return json.loads(json.dumps(TOLD[kind](state.value)))
    return state.component.dump(state.value).decode()


def values_of(bag: StateBag) -> dict[str, Any]:
    """By key, the kind and version of each state, and what it says."""
    return {
        key: {"kind": state.component.kind, "version": state.component.version, "told": told(state)}
        for key, state in sorted(bag.entries.items())
    }


def generation(folder: Path, packed: bytes) -> generations.Generation:
    """The generation that the gate's store in that folder is given."""
    store = StateFolder(str(folder))
    entries = {
        "day=2026-01-01": PartitionEntry("f" * 32, store.keep(packed)),
        "day=2026-01-02": PartitionEntry("0" * 32, "a" * 64),
    }
    return store.swap(0, entries, GenerationVerdict("passed", "c" * 64, "orders"))


def intent(entries: Mapping[str, PartitionEntry]) -> PublicationIntent:
    """A publication that replaces one partition and adds another."""
    before, after = (entries[f"day=2026-01-0{day}"] for day in (1, 2))
    return PublicationIntent(
        table="/data/orders", partition_by=("day",), staged="/data/orders/.staged", states="/data/states", number=1,
        judged=GenerationVerdict("warned", "d" * 64, "orders"), judged_before=None, written="2026-01-03T12:00:00+00:00",
        changes={"day=2026-01-01": StateChange(before, after), "day=2026-01-03": StateChange(None, after)},
    )  # fmt: skip


def write(spark: Any, folder: Path) -> None:
    """Makes the fixtures of today's formats in a new folder. Raises FileExistsError for one that is there."""
    folder.mkdir(parents=True)
    bag, sketches = computed(spark), many(spark)
    (folder / INLINE).write_bytes(bag.pack())
    (folder / MANY).write_bytes(sketches.pack())
    (folder / FILED).write_bytes(bag.pack(StateFiles(str(folder / FILES))))
    made = generation(folder / GATE, b"a bag that the gate keeps")
    (folder / GATE / "lock").unlink()
    (folder / INTENT).write_bytes(intent(made.entries).content)
    described = {
        "formats": FORMATS, "schema": columns_of(bag.schema), "failures": bag.failures,
        "states": {INLINE: values_of(bag), MANY: values_of(sketches)},
        "generation": asdict(made), "intent": asdict(intent(made.entries)),
    }  # fmt: skip
    (folder / VALUES).write_text(json.dumps(described, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")


def columns_of(schema: Schema) -> list[list[Any]]:
    """The columns as plain data."""
    return [[column.name, column.type, column.nullable] for column in schema]


def main() -> None:
    """Makes the folder of the name that is given."""
    from treaty.engine.spark.process.session import start

    (name,) = sys.argv[1:]
    spark = start()
    try:
        write(spark, HERE / name)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
