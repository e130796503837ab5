"""Which columns are held against which keys: by names alone."""

import pytest

from engine.profile.referring import is_named_after, words
from engine.requests import KeyOf, Source

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
    assert is_named_after(column, KeyOf(dataset, Source("/x"), key)) is named


def test_names_are_read_word_by_word() -> None:
    assert words("HTTPServer_id2 of-theName") == ("http", "server", "id", "2", "of", "the", "name")
