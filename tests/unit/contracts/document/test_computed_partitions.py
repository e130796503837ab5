"""Partitions that no column names: computed from columns, with types that views know."""

import pytest
from support.orders import check
from support.orders import contract as plain

from treaty.contracts.document import computed_partitions
from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.predicates.parser import PredicateError
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.core.partitions import partition_names, views

EVENTS = Schema(
    (Column("ts", "timestamp"), Column("id", "bigint"), Column("word", "string"), Column("tags", "array<int>"))
)
PROPERTIES = [
    {"name": "ts", "logicalType": "timestamp"},
    {"name": "id", "logicalType": "integer"},
    {"name": "word", "logicalType": "string"},
]


def contract(*checks: dict[str, object], by: str = "to_date(ts)", where: str = "day > '2026-01-01'") -> Contract:
    """Orders by day, with a view of some days."""
    document = dict(plain(*checks, properties=PROPERTIES).document)
    terms = {
        "partitions": [{"object": "orders", "name": "day", "by": by}],
        "views": [{"name": "late", "where": where}],
    }
    return read(write({**document, "customProperties": [{"property": "treaty", "value": terms}]}))


WRITTEN = {
    "to_date(ts)": ("TRY_CAST(`ts` AS DATE)", "date"),
    "date_trunc('HOUR', ts)": ("try_add(date_trunc('HOUR', `ts`), INTERVAL '0' SECOND)", "timestamp"),
    "floor(id / 1000)": ("floor(try_divide(`id`, 1000))", "bigint"),
    "substr(word, 1, 2)": ("substring(`word`, 1, 2)", "string"),
    "id > 5": ("`id` > 5", "boolean"),
}


@pytest.mark.parametrize("by", WRITTEN)
def test_what_is_admitted_is_written_so_that_no_row_ends_the_scan(by: str) -> None:
    sql, type_ = WRITTEN[by]
    assert computed_partitions.sql(f"p=({by})") == sql
    assert computed_partitions.computed_column_types([f"p = ({by})", "id"], EVENTS) == Schema((Column("p", type_),))
    assert partition_names.keys([f"p=({by})", "id"]) == [
        f"nullif(cast({sql} as string), '')",
        "nullif(cast(`id` as string), '')",
    ]
    assert partition_names.name([f"p=({by})", "id"], ["x", None]) == "p=x/id=__HIVE_DEFAULT_PARTITION__"


REFUSED = {
    "sleep(9)": "calls 'sleep'",
    "count(id)": "calls 'count'",
    "to_date(gone)": "'gone', which is not a column",
    "year(word)": "needs an explicit cast",
    "tags": "has the unsupported type array",
    "1 + 1": "reads no column",
    "id, ts": "tuple",
}


@pytest.mark.parametrize("by", REFUSED)
def test_what_is_not_admitted_is_told(by: str) -> None:
    with pytest.raises(PredicateError, match=REFUSED[by].replace("(", r"\\(")):
        computed_partitions.computed_column_types([f"p=({by})"], EVENTS)


def test_a_contract_names_computed_partitions_after_those_that_are_columns() -> None:
    of = contract(check("size", mustBeGreaterThan=0)).object("orders")
    assert (of.partition_columns, of.partition_by) == ((), ("day=(to_date(ts))",))
    assert computed_partitions.partition_columns(of, None, EVENTS) == ["day=(to_date(ts))"]
    assert computed_partitions.partition_columns(of, None, Schema((Column("id", "bigint"),))) == []
    assert computed_partitions.partition_columns(of, ("id",), EVENTS) == ["id"]


def test_views_over_them_know_their_types() -> None:
    given = contract(
        check("size", scope="late", mustBeGreaterThan=0), where="day > '2026-01-31' AND day < '2026-10-01'"
    )
    of, names = given.object("orders"), ["day=2026-01-31", "day=2026-02-01", "day=2026-10-01"]
    columns = views.columns(of, EVENTS, names)
    assert columns == Schema((Column("day", "date"),))
    assert views.chosen(of.views[0].where, names, columns) == ("day=2026-02-01",)
    (viewed,) = (each for each in bind(of, EVENTS).checks if each.check.id == "c")
    assert viewed.bound is not None
    day, limits = "(TRY_CAST(`ts` AS DATE))", ("TRY_CAST('2026-01-31' AS DATE)", "TRY_CAST('2026-10-01' AS DATE)")
    assert viewed.view_condition == f"({day} > {limits[0]}) AND ({day} < {limits[1]})"


def test_a_column_with_an_equals_sign_in_its_name_is_a_column() -> None:
    for word in ("=", "a=b", "=f(x)", "a=", "day"):
        assert computed_partitions.split(word) == (word, None)
    assert computed_partitions.split(" day = to_date(ts) ") == ("day", "to_date(ts)")


def test_what_partitions_are_read_from_is_known() -> None:
    assert computed_partitions.reads(["day=to_date(ts)", "country"]) == {"ts", "`country`"}


def test_a_name_in_a_text_is_left_as_it_is() -> None:
    assert computed_partitions.spelled_out("`day` = '`day`\\' `day`'", ["day=to_date(ts)"]) == (
        "(TRY_CAST(`ts` AS DATE)) = '`day`\\' `day`'"
    )
