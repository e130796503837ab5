"""Define the basic and the advanced test, as hand-written SQL and as contracts."""

from collections.abc import Iterable, Mapping
from typing import Any

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write

TABLE = "orders"
FILLED = (
    "country", "city", "email", "phone", "title", "review", "coupon", "note", "quantity_text", "price_text", "amount",
    "delivered",
)  # fmt: skip
TYPES = {
    "quantity_text": "integer",
    "price_text": "decimal",
    "shipped_text": "date",
    "customer_id": "integer",
    "created": "timestamp",
}
CONDITIONS = ("amount >= 0", "status in ('new', 'paid', 'sent', 'lost')")
DISTINCT = ("product", "customer")
RANKED, RANK = "amount", 0.9
KEYS = (("product",), ("customer",), ("product", "customer"))

# Casts are cheaper than regular expressions and give the same numbers here.
_TYPED = {
    "quantity_text": "count(try_cast(quantity_text as bigint)) / count(quantity_text)",
    "price_text": "count(try_cast(price_text as decimal(38,9))) / count(price_text)",
    "shipped_text": "count(try_cast(shipped_text as date)) / count(shipped_text)",
    "customer_id": "count(customer_id) / count(customer_id)",
    "created": "count(created) / count(created)",
}
_APPROXIMATE = (*(f"approx_count_distinct({name})" for name in DISTINCT), f"percentile_approx({RANKED}, {RANK})")
_SKETCHED = (
    *(f"hll_sketch_estimate(hll_sketch_agg({name}))" for name in DISTINCT),
    f"kll_sketch_get_quantile_double(kll_sketch_agg_double({RANKED}), {RANK})",
)


def _basic(ends: Iterable[str]) -> str:
    shares = (f"count({name}) / count(*)" for name in FILLED)
    shares_of_conditions = (f"count_if({condition}) / count(*)" for condition in CONDITIONS)
    return f"select {', '.join(['count(*)', *shares, *_TYPED.values(), *shares_of_conditions, *ends])} from {TABLE}"


def _grouped(keys: tuple[str, ...]) -> str:
    """Return SQL for unique value ratio and count distinct of the keys.

    Rows whose keys are all null are left out."""
    named = ", ".join(keys)
    counts = f"select count(*) as n from {TABLE} where coalesce({named}) is not null group by {named}"
    return f"select count_if(n = 1) / count(*), count(*) from ({counts})"


BASIC = _basic(_APPROXIMATE)
BASIC_SKETCHED = _basic(_SKETCHED)
GROUPED = {" x ".join(keys): _grouped(keys) for keys in KEYS}


def _check(check_id: str, analyzer: str, **words: Any) -> Mapping[str, Any]:
    words = {"scope": "dataset", "mustBeGreaterOrEqualTo": 0, **words}
    return {"id": check_id, "type": "custom", "engine": "treaty", "implementation": {"analyzer": analyzer, **words}}


def _checks() -> list[Mapping[str, Any]]:
    """Return the checks of the basic test, in the order of the statement's columns."""
    return [
        _check("size", "size"),
        *(_check(f"completeness-{name}", "completeness", column=name) for name in FILLED),
        *(_check(f"type-{name}", "data_type", column=name, type=kind) for name, kind in TYPES.items()),
        *(_check(f"compliance-{at}", "compliance", predicate=text) for at, text in enumerate(CONDITIONS)),
        *(_check(f"distinct-{name}", "approx_count_distinct", column=name) for name in DISTINCT),
        _check("quantile", "approx_quantile", column=RANKED, quantile=RANK),
    ]


def _key_checks() -> list[Mapping[str, Any]]:
    return [
        _check(f"{analyzer}-{'-'.join(keys)}", analyzer, columns=list(keys))
        for keys in KEYS
        for analyzer in ("unique_value_ratio", "count_distinct")
    ]


def document(checks: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> bytes:
    """Return a contract on the table with these columns and checks, as YAML."""
    properties = [{"name": name} for name in columns]
    table = {"name": TABLE, "logicalType": "object", "properties": properties, "quality": list(checks)}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "bench", "name": "bench", "version": "1.0.0"}
    return write({**head, "status": "active", "schema": [table]})


def basic(columns: Iterable[str]) -> Contract:
    """Return the basic test as a contract."""
    return read(document(_checks(), columns))


def advanced(columns: Iterable[str]) -> Contract:
    """Return the basic test with the checks of keys."""
    return read(document([*_checks(), *_key_checks()], columns))
