"""Changes between two contract documents, one of each kind: their direction, and what they break."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from support.orders import check
from support.versions import document, with_column, without_column

Document = Mapping[str, Any]


class Case(NamedTuple):
    """A change, its direction, whether it breaks BACKWARD and FORWARD, and the bump that it asks for."""

    old: Document
    new: Document
    direction: str
    backward: bool
    forward: bool
    bump: str = ""


def on(column: str, /, **words: Any) -> Document:
    return with_column(column, **words)


def options(column: str, /, **words: Any) -> Document:
    return with_column(column, logicalTypeOptions=words)


def enum(*values: Any) -> list[dict[str, Any]]:
    return [{"value": each} for each in values]


def of(analyzer: str, **words: Any) -> Document:
    return document(check(analyzer, **words))


def fresh(value: Any, **words: Any) -> Document:
    return document(slaProperties=[{"property": "freshness", "value": value, "unit": "h", **words}])


def keyed(*columns: str) -> Document:
    made = document()
    for position, name in enumerate(columns, 1):
        next(each for each in made["schema"][0]["properties"] if each["name"] == name).update(
            {"primaryKey": True, "primaryKeyPosition": position}
        )
    return made


def due(by: str = "07:30", **words: Any) -> Document:
    return terms(deadlines=[{"object": "orders", "by": by, **words}])


def anomalies(false_alarms: float) -> Document:
    return terms(anomalies={"false_alarms": false_alarms})


def terms(**words: Any) -> Document:
    return document(terms=words)


def table(name: str) -> Document:
    return {**document(), "schema": [*document()["schema"], {"name": name}]}


BASE = document()
NULLS = {"id": "c", "metric": "nullValues", "mustBe": 0}
TIGHTENS = {"direction": "tightens", "backward": True, "forward": False, "bump": "minor"}
LOOSENS = {"direction": "loosens", "backward": False, "forward": True, "bump": "major"}
BOTH = {"direction": "both", "backward": True, "forward": True, "bump": "major"}
UNKNOWN = {"direction": "undetermined", "backward": True, "forward": True, "bump": "major"}
UNTESTED = {"direction": "untested", "backward": False, "forward": False, "bump": "patch"}
PRESENCE = {"direction": "tightens", "backward": False, "forward": False, "bump": "minor"}
CASES = {
    "a column that may be null": Case(BASE, on("note", logicalType="string"), **PRESENCE),
    "a column that may be null, with allowed values": Case(
        BASE, on("note", logicalType="string", enum=enum("a")), **PRESENCE
    ),
    "a required column": Case(BASE, on("note", logicalType="string", required=True), **TIGHTENS),
    "a column with a required field": Case(
        BASE,
        on("note", logicalType="object", properties=[{"name": "a", "logicalType": "date", "required": True}]),
        **TIGHTENS,
    ),
    "a column less": Case(BASE, without_column("status"), **LOOSENS),
    "a table more": Case(BASE, table("lines"), **TIGHTENS),
    "a table less": Case(table("lines"), BASE, **LOOSENS),
    "a rename by id": Case(on("status", id="s"), on("status", id="s", name="state"), **BOTH),
    "another physical name": Case(BASE, on("status", physicalName="state"), **BOTH),
    "its own name as physical name": Case(BASE, on("status", physicalName="status"), **UNTESTED),
    "required now": Case(BASE, on("status", required=True), **TIGHTENS),
    "no longer required": Case(on("status", required=True), BASE, **LOOSENS),
    "unique now": Case(BASE, on("id", unique=True), **TIGHTENS),
    "a wider type": Case(BASE, on("id", logicalType="number"), **BOTH),
    "a narrower type": Case(on("id", logicalType="number"), BASE, **BOTH),
    "a physical type more": Case(BASE, on("id", physicalType="bigint"), **TIGHTENS),
    "another physical type": Case(on("id", physicalType="bigint"), on("id", physicalType="int"), **BOTH),
    "the same physical type": Case(on("id", physicalType="bigint"), on("id", physicalType="LONG"), **UNTESTED),
    "a size of a decimal": Case(
        on("amount", physicalType="decimal"), on("amount", physicalType="decimal(10,2)"), **TIGHTENS
    ),
    "a size of a text": Case(
        on("status", physicalType="varchar(10)"), on("status", physicalType="varchar(20)"), **BOTH
    ),
    "physical types that Spark does not have": Case(
        on("id", physicalType="int4"), on("id", physicalType="int8"), **BOTH
    ),
    "a key": Case(BASE, keyed("id"), **TIGHTENS),
    "no key": Case(keyed("id"), BASE, **LOOSENS),
    "another key": Case(keyed("id"), keyed("id", "day"), **BOTH),
    "a key in another order": Case(keyed("id", "day"), keyed("day", "id"), **UNTESTED),
    "partition columns": Case(BASE, on("day", partitioned=True), **UNKNOWN),
    "allowed values": Case(BASE, on("status", enum=enum("a")), **TIGHTENS),
    "any value": Case(on("status", enum=enum("a")), BASE, **LOOSENS),
    "an allowed value less": Case(on("status", enum=enum("a", "b")), on("status", enum=enum("a")), **TIGHTENS),
    "an allowed value more": Case(on("status", enum=enum("a")), on("status", enum=enum("a", "b")), **LOOSENS),
    "another allowed value": Case(on("status", enum=enum("a", "b")), on("status", enum=enum("a", "c")), **BOTH),
    "allowed values in another order": Case(
        on("status", enum=enum("a", "b")), on("status", enum=enum("b", "a")), **UNTESTED
    ),
    "a lower maximum": Case(options("amount", maximum=10), options("amount", maximum=9), **TIGHTENS),
    "a higher maximum": Case(options("amount", maximum=10), options("amount", maximum=10.5), **LOOSENS),
    "a moved range": Case(options("amount", minimum=0, maximum=10), options("amount", minimum=5, maximum=15), **BOTH),
    "an exclusive minimum": Case(options("amount", minimum=0), options("amount", exclusiveMinimum=0), **TIGHTENS),
    "the same minimum of integers": Case(options("id", minimum=1), options("id", exclusiveMinimum=0), **UNTESTED),
    "an earlier day": Case(options("day", minimum="2026-01-01"), options("day", minimum="2025-01-01"), **LOOSENS),
    "a day of another form": Case(options("day", minimum="2026-01-01"), options("day", minimum="20260101"), **UNKNOWN),
    "shorter texts": Case(options("status", maxLength=10), options("status", maxLength=9), **TIGHTENS),
    "a length that all texts have": Case(BASE, options("status", minLength=0), **UNTESTED),
    "a pattern": Case(BASE, options("status", pattern="^a$"), **TIGHTENS),
    "no pattern": Case(options("status", pattern="^a$"), BASE, **LOOSENS),
    "a pattern that matches more": Case(options("status", pattern="^a$"), options("status", pattern="^a"), **LOOSENS),
    "an edited pattern": Case(options("status", pattern="^a\\b"), options("status", pattern="^\\ba"), **UNKNOWN),
    "a wider format": Case(options("id", format="i32"), options("id", format="i64"), **LOOSENS),
    "another format": Case(options("status", format="uuid"), options("status", format="email"), **UNKNOWN),
    "multiples of more": Case(options("id", multipleOf=3), options("id", multipleOf=6), **TIGHTENS),
    "multiples of another": Case(options("id", multipleOf=4), options("id", multipleOf=6), **BOTH),
    "a check": Case(BASE, document(NULLS | {"metric": "rowCount"}), **TIGHTENS),
    "a check less": Case(document(NULLS | {"metric": "rowCount"}), BASE, **LOOSENS),
    "a text, which nobody executes": Case(BASE, document({"type": "text", "description": "good"}), **UNTESTED),
    "a warning that is an error": Case(
        of("size", severity="warning", mustBeGreaterThan=1), of("size", mustBeGreaterThan=1), **TIGHTENS
    ),
    "an error that is a warning": Case(
        of("size", mustBeGreaterThan=1), of("size", severity="warning", mustBeGreaterThan=1), **LOOSENS
    ),
    "a higher share": Case(
        of("completeness", column="id", mustBeGreaterOrEqualTo=0.9),
        of("completeness", column="id", mustBeGreaterOrEqualTo=0.95),
        **TIGHTENS,
    ),
    "all, in other words": Case(
        of("completeness", column="id", mustBe=1), of("completeness", column="id", mustBeGreaterOrEqualTo=1), **UNTESTED
    ),
    "none, in other words": Case(
        of("null_values", column="id", mustBe=0), of("null_values", column="id", mustBeLessThan=1), **UNTESTED
    ),
    "a higher error rate": Case(
        of("null_values", column="id", count_in="percent", mustBeLessOrEqualTo=1),
        of("null_values", column="id", count_in="percent", mustBeLessOrEqualTo=2),
        **LOOSENS,
    ),
    "another scope": Case(of("size", mustBeGreaterThan=1), of("size", scope="dataset", mustBeGreaterThan=1), **UNKNOWN),
    "another metric": Case(
        of("mean", column="amount", mustBeGreaterThan=1), of("size", mustBeGreaterThan=1), **UNKNOWN
    ),
    "another column": Case(
        of("mean", column="amount", mustBeGreaterThan=1), of("mean", column="id", mustBeGreaterThan=1), **UNKNOWN
    ),
    "a shorter freshness": Case(fresh(24), fresh(12), **TIGHTENS),
    "a longer freshness": Case(fresh(24), fresh(2, unit="d"), **LOOSENS),
    "the same freshness": Case(fresh(24), fresh(1, unit="d"), **UNTESTED),
    "a freshness of another column": Case(fresh(24, element="orders.day"), fresh(24, element="orders.id"), **UNKNOWN),
    "no freshness": Case(fresh(24), BASE, **LOOSENS),
    "a description": Case(BASE, on("id", description="the order's number"), **UNTESTED),
    "a description of the contract": Case(BASE, document(description={"purpose": "reports"}), **UNTESTED),
    "no other columns": Case(terms(columns="watched"), terms(columns="closed"), **TIGHTENS),
    "an answer of the gate": Case(terms(on_unknown="block"), terms(on_unknown="allow"), **LOOSENS),
    "an answer of the gate for uncertain checks": Case(
        terms(on_uncertain="warn"), terms(on_uncertain="block"), **TIGHTENS
    ),
    "an earlier deadline": Case(due(), due(by="06:00"), **TIGHTENS),
    "a deadline on other days": Case(due(), due(days="weekdays"), **UNKNOWN),
    "a deadline of another severity": Case(due(), due(severity="warning"), **UNKNOWN),
    "more false alarms": Case(anomalies(4), anomalies(12), **TIGHTENS),
    "a policy": Case(terms(), terms(review={"quorum": 2}), **UNTESTED),
}
