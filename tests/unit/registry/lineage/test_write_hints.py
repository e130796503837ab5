"""What events tell of partitions: a ladder of hints, none of which is more than what was said."""

from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events import body, event, output

from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.write_hints import DetectionMethod, WriteHint
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.events import write_hints
from treaty.registry.lineage.events.model import NotAnEvent, parse
from treaty.registry.lineage.events.run_state import FoldedRun, join, state_of_event
from treaty.registry.lineage.events.sql_statements import writes
from treaty.registry.lineage.events.write_hints import joined, outputs_of, write_hint

DAY = ("ds",)
BOTH = ("ds", "country")
TABLE = LineageName("file", "/data/orders")
NOMINAL = {"ds": "{nominalStart:%Y-%m-%d}"}


def told(*documents: dict[str, Any]) -> FoldedRun:
    return reduce(join, (state_of_event(parse(body(document))) for document in documents))


def hint(run: FoldedRun, by: tuple[str, ...] = DAY, nominal: dict[str, str] | None = None) -> WriteHint:
    return write_hint(run, outputs_of(run, TABLE), by, nominal or {})


def subset(**condition: Any) -> dict[str, Any]:
    return output() | {"outputFacets": {"subset": {"outputCondition": condition}}}


def listed(*dimensions: Any) -> dict[str, Any]:
    return {"type": "partition", "partitions": [{"dimensions": each} for each in dimensions]}


def equal(column: str, value: Any, comparison: str = "EQUAL", *, turned: bool = False) -> dict[str, Any]:
    sides = {"type": "field", "field": column}, {"type": "literal", "value": value}
    left, right = reversed(sides) if turned else sides
    return {"type": "compare", "left": left, "right": right, "comparison": comparison}


def both(operator: str, left: Any, right: Any) -> dict[str, Any]:
    return {"type": "binary", "operator": operator, "left": left, "right": right}


CONDITIONS = {
    "partitions": (listed({"ds": "1"}, {"ds": "2"}), DAY, ["ds=1", "ds=2"]),
    "a number": (listed({"ds": 2023}), DAY, ["ds=2023"]),
    "null": (listed({"ds": None}), DAY, [f"ds={partition_names.NULL}"]),
    "true": (listed({"ds": True}), DAY, ["ds=true"]),
    "escaped as folders are": (listed({"ds": "a/b=c d"}), DAY, ["ds=a%2Fb%3Dc d"]),
    "in other letters": (listed({"DS": "1"}), DAY, ["ds=1"]),
    "in the engine's order": (listed({"country": "PL", "ds": "1"}), BOTH, ["ds=1/country=PL"]),
    "columns beside": (listed({"country": "PL", "ds": "1"}), DAY, ["ds=1"]),
    "a column lacks": (listed({"ds": "1"}), BOTH, None),
    "one without dimensions": (listed({"ds": "1"}, None), DAY, None),
    "no list": ({"type": "partition", "partitions": None}, DAY, None),
    "equal": (equal("ds", "1"), DAY, ["ds=1"]),
    "equal, turned": (equal("ds", "1", turned=True), DAY, ["ds=1"]),
    "greater": (equal("ds", "1", "GREATER_THAN"), DAY, None),
    "another column": (equal("amount", "1"), DAY, None),
    "and": (both("AND", equal("ds", "1"), equal("country", "PL")), BOTH, ["ds=1/country=PL"]),
    "and of what admits nothing": (both("AND", equal("ds", "1"), equal("ds", "2")), DAY, None),
    "and more": (both("AND", equal("ds", "1"), equal("amount", "1", "GREATER_THAN")), DAY, ["ds=1"]),
    "or": (both("OR", equal("ds", "1"), equal("ds", "2")), DAY, ["ds=1", "ds=2"]),
    "or something else": (both("OR", equal("ds", "1"), equal("ds", "2", "LESS_THAN")), DAY, None),
    "xor": (both("XOR", equal("ds", "1"), equal("ds", "2")), DAY, None),
    "an unknown type": ({"type": "bucket", "partitions": [1]}, DAY, None),
}


@pytest.mark.parametrize(("condition", "by", "expected"), CONDITIONS.values(), ids=CONDITIONS)
def test_the_subset_facet_names_partitions(
    condition: dict[str, Any], by: tuple[str, ...], expected: list[str] | None
) -> None:
    found = hint(told(event("COMPLETE", subset(**condition))), by)
    assert found == (WriteHint(tuple(expected), DetectionMethod.SUBSET) if expected else WriteHint())


PATHS = {
    "the name": ([output("/data/orders/ds=1")], DAY, ["ds=1"]),
    "names of several": ([output("/data/orders/ds=1"), output("/data/orders/ds=2")], DAY, ["ds=1", "ds=2"]),
    "two levels": ([output("/data/orders/ds=1/country=PL")], BOTH, ["ds=1/country=PL"]),
    "null": ([output(f"/data/orders/ds={partition_names.NULL}")], DAY, [f"ds={partition_names.NULL}"]),
    "quoted": ([output("/data/orders/ds=a%2Fb")], DAY, ["ds=a%2Fb"]),
    "one of them is the table": ([output("/data/orders"), output("/data/orders/ds=2")], DAY, None),
    "only the first of two columns": ([output("/data/orders/ds=1")], BOTH, None),
    "locations": ([subset(type="location", locations=["file:/data/orders/ds=1", "/data/orders/ds=2"])], DAY,
                  ["ds=1", "ds=2"]),
    "locations in another store": ([subset(type="location", locations=["s3://b/orders/ds=1"])], DAY, ["ds=1"]),
    "a location without a partition": ([subset(type="location", locations=["/data/orders", "/o/ds=2"])], DAY, None),
    "locations that are none": ([subset(type="location", locations=[None, 7])], DAY, None),
    "no locations": ([subset(type="location", locations=[])], DAY, None),
}  # fmt: skip


@pytest.mark.parametrize(("outputs", "by", "expected"), PATHS.values(), ids=PATHS)
def test_paths_name_partitions(outputs: list[dict[str, Any]], by: tuple[str, ...], expected: list[str] | None) -> None:
    found = hint(told(event("COMPLETE", *outputs)), by)
    assert found == (WriteHint(tuple(expected), DetectionMethod.PATH) if expected else WriteHint())


def sql(query: str, dialect: str | None = None) -> dict[str, Any]:
    return {"job": {"namespace": "shop", "name": "load", "facets": {"sql": {"query": query, "dialect": dialect}}}}


STATEMENTS = {
    "insert": ("INSERT OVERWRITE TABLE sales.orders PARTITION (ds = '2026-11-20') SELECT 1", ["ds=2026-11-20"]),
    "values": ("insert into orders partition(ds='1') values ('secret')", ["ds=1"]),
    "load": ("LOAD DATA LOCAL INPATH '/tmp/x' INTO TABLE orders PARTITION(ds=2023)", ["ds=2023"]),
    "truncate": ("TRUNCATE TABLE orders PARTITION(ds='1')", ["ds=1"]),
    "a date": ("INSERT INTO orders PARTITION (ds=DATE'2026-01-01') SELECT 1", ["ds=2026-01-01"]),
    "negative": ("INSERT INTO orders PARTITION (ds=-1) SELECT 1", ["ds=-1"]),
    "null": ("INSERT INTO orders PARTITION (ds=NULL) SELECT 1", [f"ds={partition_names.NULL}"]),
    "two": ("INSERT INTO orders PARTITION (ds='1') SELECT 1; INSERT INTO orders PARTITION (ds='2') SELECT 2",
            ["ds=1", "ds=2"]),
    "several from one": ("FROM x INSERT INTO orders PARTITION (ds='1') SELECT a INSERT INTO orders PARTITION (ds='2') "
                         "SELECT b", ["ds=1", "ds=2"]),
    "one of two is dynamic": ("INSERT INTO orders PARTITION (ds='1') SELECT 1; INSERT INTO orders SELECT 2", None),
    "dynamic": ("INSERT OVERWRITE TABLE orders PARTITION (ds) SELECT 1, ds FROM x", None),
    "computed": ("INSERT OVERWRITE TABLE orders PARTITION (ds=current_date()) SELECT 1", None),
    "a window": ("SELECT row_number() OVER (PARTITION BY ds) FROM orders", None),
    "of a query": ("SELECT * FROM x WHERE rank() over (partition (ds='1'))", None),
    "beside a delete": ("INSERT INTO orders PARTITION (ds='1') SELECT 1; DELETE FROM orders WHERE id = 1", None),
    "dropped": ("ALTER TABLE orders DROP PARTITION (ds='1')", None),
    "no SQL": ("insert ((( partition (", None),
    "another table": ("INSERT INTO x PARTITION (ds='1') SELECT 1; INSERT INTO y PARTITION (ds='2') SELECT 1", None),
}  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_names_static_partitions(query: str, expected: list[str] | None) -> None:
    found = hint(told(event("COMPLETE") | sql(query)))
    assert found == (WriteHint(tuple(expected), DetectionMethod.SQL) if expected else WriteHint())


@pytest.mark.parametrize("dialect", ["hive", "spark", "postgres", None])
def test_a_statement_of_any_dialect_names_its_partition(dialect: str | None) -> None:
    query = "INSERT OVERWRITE TABLE orders PARTITION (ds='1') SELECT substr(trim(a), 1, 2) FROM x"
    assert writes(query, dialect) == ({"table": "orders", "partition": {"ds": "1"}},)


def test_of_a_statement_no_value_of_its_rows_is_kept() -> None:
    run = told(event("COMPLETE") | sql("insert into orders partition(ds='1') values ('secret')"))
    assert "secret" not in run.model_dump_json()


def test_a_single_output_is_what_a_single_statement_writes_whatever_its_name() -> None:
    run = told(event("COMPLETE", output("/warehouse/x7")) | sql("INSERT INTO orders PARTITION (ds='1') SELECT 1"))
    assert hint(run) == WriteHint(("ds=1",), DetectionMethod.SQL)


def test_long_statements_are_not_read() -> None:
    assert writes("INSERT INTO t PARTITION (ds='1') SELECT " + "1," * 40_000) == ()


def nominal(start: Any, end: Any = "2026-11-21T00:00:00Z") -> dict[str, Any]:
    facets = {"nominalTime": {"nominalStartTime": start, "nominalEndTime": end}}
    return event("COMPLETE") | {"run": {"runId": event()["run"]["runId"], "facets": facets}}


@pytest.mark.parametrize(
    ("start", "template", "expected"),
    [
        ("2026-11-20T00:00:00Z", "{nominalStart:%Y-%m-%d}", "ds=2026-11-20"),
        ("2026-11-20T01:30:00+02:00", "{nominalStart:%Y-%m-%d}", "ds=2026-11-19"),
        ("2026-11-20T00:00:00", "%Y%m%d", "ds=20261120"),
        ("2026-11-20T00:00:00Z", "{nominalStart}", "ds=2026-11-20"),
        ("2026-11-20T00:00:00Z", "to {nominalEnd:%d}", "ds=to 21"),
        (None, "{nominalStart:%Y}", None),
        ("yesterday", "{nominalStart:%Y}", None),
        ("0001-01-01T00:00:00+23:00", "{nominalStart:%Y}", None),
    ],
)
def test_the_nominal_time_names_a_partition_by_the_contract(start: Any, template: str, expected: str | None) -> None:
    found = hint(told(nominal(start)), nominal={"ds": template})
    assert found == (WriteHint((expected,), DetectionMethod.NOMINAL) if expected else WriteHint())


def test_the_surest_hint_counts() -> None:
    both_told = nominal("2026-11-20T00:00:00Z") | sql("INSERT INTO orders PARTITION (ds='1') SELECT 1")
    assert hint(told(both_told), nominal=NOMINAL).method is DetectionMethod.SQL
    spoken = both_told | {"outputs": [subset(**listed({"ds": "2"}))]}
    assert hint(told(spoken), nominal=NOMINAL) == WriteHint(("ds=2",), DetectionMethod.SUBSET)
    # What does not name all partition columns leaves the word to the next.
    short = both_told | {"outputs": [subset(**listed({"country": "PL"}))]}
    assert hint(told(short), nominal=NOMINAL) == WriteHint(("ds=1",), DetectionMethod.SQL)


@pytest.mark.parametrize(
    ("versions", "expected"),
    [(["7"], 7), ([7], 7), (["7", "9"], 9), (["3821550127947089009"], 3821550127947089009), (["x"], None),
     (["-1"], None), (["9" * 30], None), ([None], None), ([1.5], None), (["٣"], None)],
)  # fmt: skip
def test_a_version_that_is_counted_is_told(versions: list[Any], expected: int | None) -> None:
    names = ("/data/orders/ds=1", "/data/orders/ds=2")
    outputs = [
        output(name, version={"datasetVersion": version}) for name, version in zip(names, versions, strict=False)
    ]
    assert hint(told(event("COMPLETE", *outputs))).version == expected


def test_the_outputs_of_a_table_are_known_by_path_partition_and_symlink() -> None:
    links = {"identifiers": [{"namespace": "file", "name": TABLE.name, "type": "LOCATION"}]}
    others = [output("db.orders", "hive://h", symlinks=links), output("/data/orders/ds=1"), output("/data/x")]
    run = told(event("COMPLETE", *others))
    assert {each.name for each in outputs_of(run, TABLE)} == {"db.orders", "/data/orders/ds=1"}
    assert outputs_of(run, LineageName("file", "/nowhere")) == ()


def test_a_table_that_is_not_parted_gets_no_partitions() -> None:
    assert hint(told(event("COMPLETE", output("/data/orders/ds=1"))), ()) == WriteHint()


@pytest.mark.parametrize(
    ("several", "expected"),
    [
        ([], WriteHint()),
        ([WriteHint(("a=1",), DetectionMethod.PATH, 1)], WriteHint(("a=1",), DetectionMethod.PATH, 1)),
        (
            [WriteHint(("a=2",), DetectionMethod.SUBSET, 1), WriteHint(("a=1",), DetectionMethod.SQL, 3)],
            WriteHint(("a=1", "a=2"), DetectionMethod.SQL, 3, (1,)),
        ),
        (
            [WriteHint(("a=2",), DetectionMethod.SUBSET, 1), WriteHint(version=3)],
            WriteHint(version=3, other_versions=(1,)),
        ),
        (
            [WriteHint(("a=2",), DetectionMethod.SUBSET, 1), WriteHint(("a=2",), DetectionMethod.SUBSET)],
            WriteHint(("a=2",), DetectionMethod.SUBSET),
        ),
    ],
)
def test_hints_of_several_writes_are_one(several: list[WriteHint], expected: WriteHint) -> None:
    assert joined(several) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
WORDS = st.sampled_from(
    ["partition", "compare", "binary", "location", "AND", "OR", "EQUAL", "ds", "field", "literal", "ds=1"]
)
VALUE = JSON | WORDS
NODE = st.dictionaries(
    st.sampled_from(["type", "partitions", "locations", "left", "right", "operator", "comparison", "field", "value"]),
    VALUE | st.lists(st.fixed_dictionaries({"dimensions": JSON}), max_size=3),
    max_size=6,
)
CONDITION = st.recursive(
    NODE, lambda inner: st.builds(lambda node, a, b: node | {"left": a, "right": b}, NODE, inner, inner), max_leaves=6
)


@given(
    CONDITION | JSON,
    st.text(max_size=40) | WORDS,
    VALUE,
    st.text(max_size=30).map(lambda text: f"INSERT INTO t PARTITION ({text}) SELECT 1") | JSON,
    JSON,
    st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3),
    st.lists(st.text(min_size=1, max_size=10), max_size=3),
)
def test_nothing_that_an_event_holds_makes_it_raise(
    condition: Any, name: str, version: Any, query: Any, links: Any, templates: dict[str, str], by: list[str]
) -> None:
    facets = {"version": {"datasetVersion": version}, "symlinks": {"identifiers": links}}
    written = output(name, **facets) | {"outputFacets": {"subset": {"outputCondition": condition}}}
    document = nominal(version, query) | {"outputs": [written]}
    document |= {"job": {"namespace": "n", "name": "j", "facets": {"sql": {"query": query, "dialect": version}}}}
    try:
        run = told(document)
    except NotAnEvent:
        return
    found = write_hint(run, run.outputs, by, templates)
    for partition in found.partitions or ():
        assert partition == partition_names.name(
            by, [partition_names.values(partition)[each] for each in write_hints.columns_of(by)]
        )


def test_there_is_a_newest_of_days_months_and_moments_alone() -> None:
    named = ["day=2026-01-01", "day=20260101", "day=2026-01", "day=2026-01-01 10%3A00%3A00", "a=DE/month=202611"]
    others = ["country=DE", "id=7", "v=2", f"day={partition_names.NULL}", "", "n=123456"]
    assert [name for name in (*named, *others) if partition_names.is_dated(name)] == named
