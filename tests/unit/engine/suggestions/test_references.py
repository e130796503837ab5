"""Which columns are held against which keys: by names, and by sketches."""

from collections.abc import Iterable

import pytest
from support.histories import history
from support.oracles import STATE_OF

from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.protocol.requests import ReferableKey, TableSource
from treaty.engine.suggestions.selection.references import KeyValues, is_named_after, lie_within, may_lie_within, words

NAMED = [
    ("customer_id", "customers", "customer_id", True),
    ("buyer_customer_id", "customers", "customer_id", True),
    ("customerId", "shop.customers", "customer_id", True),
    ("customer_id", "customers", "id", True),
    ("CustomerID", "shop-sales.Customers", "ID", True),
    ("billing_country_code", "countries", "code", True),
    ("address_id", "address", "id", True),
    ("sku", "products", "sku", True),
    ("id", "customers", "id", False),
    ("order_id", "customers", "id", False),
    ("customer_id_old", "customers", "customer_id", False),
    ("customer", "customers", "customer_id", False),
    ("code", "countries", "code", False),
    ("city", "customers", "customer_id", False),
    ("_", "customers", "id", False),
    ("x", "customers", "_", False),
]


@pytest.mark.parametrize(("column", "dataset", "key", "named"), NAMED)
def test_a_column_is_named_after_the_key_that_it_ends_with(column: str, dataset: str, key: str, named: bool) -> None:
    assert is_named_after(column, ReferableKey(dataset, TableSource("/x"), key)) is named


def test_names_are_read_word_by_word() -> None:
    assert words("HTTPServer_id2 of-theName") == ("http", "server", "id", "2", "of", "the", "name")


def texts(values: Iterable[int]) -> KeyValues:
    return KeyValues(STATE_OF["theta"]([f"s{each}" for each in values]))


def numbers(values: Iterable[int]) -> KeyValues:
    whole = list(values)
    return KeyValues(STATE_OF["theta"](whole), min(whole, default=None), max(whole, default=None))


WITHIN = {
    "texts of a key": (texts(range(12)), texts(range(20)), True),
    "of a large key": (texts(range(0, 20_000, 7)), texts(range(20_000)), True),
    "few texts": (texts(range(5)), texts(range(20)), False),
    "one that the key lacks": (texts(range(21)), texts(range(20)), False),
    "the other way round": (texts(range(20)), texts(range(12)), False),
    "running numbers": (numbers(range(50)), numbers(range(100)), False),
    "a tenth of all numbers": (numbers(range(0, 1000, 50)), numbers(range(0, 1000, 10)), True),
    "three of a tenth": (numbers(range(0, 991, 495)), numbers(range(0, 1000, 10)), False),
    "small numbers, of which a key has all": (numbers(range(20)), numbers([*range(100), *range(0, 9000, 9)]), False),
    "numbers and texts": (numbers(range(50)), texts(range(50)), False),
    "nothing": (texts([]), texts(range(20)), False),
    "nothing in the key": (texts(range(20)), texts([]), False),
}


@pytest.mark.parametrize("case", WITHIN)
def test_values_are_within_a_key_where_sketches_say_so_and_chance_does_not(case: str) -> None:
    ours, theirs, within = WITHIN[case]
    assert lie_within(ours, theirs) is within


TABLE = history(
    {"few": "int", "many": "int", "code": "string"},
    [{"few": range(20), "many": range(0, 4000, 200), "code": [f"s{each}" for each in range(20)]}] * 2,
)
MAY = [
    ("few", numbers(range(100)), True),
    ("few", numbers(range(5, 100)), False),
    ("few", numbers(range(15)), False),
    ("few", texts(range(100)), False),
    ("many", numbers(range(5000)), True),
    ("many", numbers(range(3000)), False),
    ("code", texts(range(100)), True),
    ("code", texts(range(5)), False),
]


@pytest.mark.parametrize(("column", "theirs", "may"), MAY)
def test_columns_are_sketched_whose_profile_admits_that_they_lie_within_a_key(
    column: str, theirs: KeyValues, may: bool
) -> None:
    (found,) = [each for each in TABLE.columns if each.column.name == column]
    assert may_lie_within(found, HistorySlice.of(TABLE), theirs) is may
