"""Cases of what is read by statements of its own: references to other datasets, reconciliation, queries."""

from decimal import Decimal
from typing import Any

from support.analyzer_table import Case

from treaty.engine.analyzers.queries import Sql
from treaty.engine.analyzers.references import DatasetMatch, ReferentialIntegrity

# Other datasets: types and rows.
OTHERS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "people": ("id int, name string", [(1, "new"), (2, "new"), (3, "paid"), (3, None), (None, "x")]),
    "nobody": ("id bigint, name string", []),
    "prices": (
        "key bigint, price decimal(14,4), part string, ratio float",
        [
            (1, Decimal("10.10"), "a", 0.5),
            (2, Decimal("0.21"), "a", 0.0),
            (3, None, "b", 0.0),
            (4, Decimal("-5"), "x", None),
            (5, Decimal("3.30"), "c", 2.5),
            (5, Decimal("3.30"), "c", 2.5),
            (7, Decimal("0.20"), None, 1.0),
        ],
    ),
}


def sql(query: str, expected: Any, **words: Any) -> Case:
    """A query with what it gives."""
    return Case(Sql(query=query, **words), expected)


def found(expected: float | None, broken: int, counted: int, **words: Any) -> Case:
    """A look-up with the share that is found."""
    return Case(ReferentialIntegrity(**words), expected, broken=broken, counted=counted)


def matched(expected: float | None, *states: int, **words: Any) -> Case:
    """A reconciliation with its share and the states of rows."""
    names = ("rows", "matched", "different", "duplicated", "missing_there", "missing_here")
    return Case(DatasetMatch(**words), expected, details=dict(zip(names, states, strict=True)))


PRICES = {"keys": ["id"], "dataset": "prices", "other_keys": ["key"]}

CASES = [
    # Dangling rows are counted, not the values that dangle (5 of 6 refer, 2 of them to nothing).
    found(3 / 6, 3, 6, column="id", dataset="people"),
    found(3 / 5, 2, 5, column="status", dataset="people", other_column="name"),
    found(3 / 5, 2, 5, columns=["id", "status"], dataset="people", other_columns=["id", "name"]),
    found(0.0, 6, 6, column="constant", dataset="nobody", other_column="id"),
    found(1.0, 0, 6, column="constant", dataset="people", other_column="id"),
    found(None, 0, 0, column="none", dataset="people", other_column="name"),
    found(None, 0, 0, column="id", dataset="people", where="id > 99"),
    found(1.0, 0, 2, column="id", dataset="people", where="id < 3"),
    found(2 / 5, 3, 5, column="`a.b`", dataset="people", other_column="id"),
    found(2 / 4, 2, 4, column="nested.inner", dataset="people", other_column="id"),
    found(3 / 5, 2, 5, column="Größe `x`", dataset="people", other_column="id"),
    matched(4 / 6, 6, 4, 0, 1, 1, 1, **PRICES),
    matched(4 / 7, 6, 4, 0, 1, 1, 1, **PRICES, of="both"),
    matched(3 / 6, 6, 3, 1, 1, 1, 1, **PRICES, compare=["price"]),
    matched(4 / 6, 6, 4, 0, 1, 1, 1, **PRICES, compare=["price"], tolerance=0.01),
    matched(3 / 6, 6, 3, 1, 1, 1, 1, **PRICES, compare=["price"], tolerance=0.009),
    matched(4 / 6, 6, 4, 0, 1, 1, 1, **PRICES, compare={"price": "price"}, relative_tolerance=0.05),
    matched(3 / 6, 6, 3, 1, 1, 1, 1, **PRICES, compare={"part": "part"}),
    matched(4 / 6, 6, 4, 0, 1, 1, 1, **PRICES, compare={"ratio": "ratio"}),
    matched(1.0, 2, 2, 0, 0, 0, 5, **PRICES, where="id IN (1, 2)"),
    matched(0.0, 6, 0, 0, 0, 6, 0, keys=["id"], dataset="nobody"),
    matched(0.0, 6, 0, 0, 6, 0, 3, keys=["constant"], dataset="people", other_keys=["id"]),
    Case(DatasetMatch(keys=("id",), dataset="nobody", where="id > 99"), None),
    sql("SELECT count(*) FROM {object}", 6),
    sql("select count(*) from ${table} where {property} is null;", 1, column="status"),
    sql("SELECT COUNT(*) AS n FROM orders AS o WHERE o.price < 0 OR o.`a.b` > 5", 2, tables=("orders",)),
    sql("SELECT count(DISTINCT status, open) FROM {object}", 5),
    sql("SELECT sum(CASE WHEN price > 0 THEN 1 ELSE 0 END) * 100 / count(*) FROM {object}", 400 / 6),
    sql("SELECT count(*) FROM (SELECT status FROM {object} GROUP BY status HAVING count(*) > 1) d", 1),
    sql("SELECT (SELECT count(*) FROM {object}) - (SELECT count(DISTINCT id) FROM {object})", 0),
    sql("SELECT count(*) FROM {object} WHERE id IN (SELECT max(id) FROM {object})", 1),
    sql("SELECT max(id) FILTER (WHERE status = 'new') FROM {object}", 2),
    sql("SELECT max(status) FROM {object}", "paid"),
    sql("SELECT max(n) FROM (SELECT upper(status) u, count(*) AS n FROM {object} GROUP BY u HAVING n > 1) d", 2),
    sql("SELECT count(*) FROM {object} WHERE (id IN (SELECT max(id) FROM {object})) = false", 5),
    sql("SELECT count(*) FROM {object} WHERE status = 'o\\'neil' OR status LIKE '{%'", 1),
    sql("SELECT sum(price) FROM {object}", Decimal("8.80")),
    sql("SELECT sum(none_number) FROM {object}", None),
    sql("SELECT count(*) FROM {object}", 0, where="id > 99"),
    sql("SELECT count(*) FROM {object} WHERE nested.inner > 2", 2),
]
