"""A document is given one more name for an object, and keeps all that it had."""

from typing import Any

import pytest
from support.api import plain

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.contracts.editing.aliases import next_version_number, with_alias

NEW = ("hive://metastore", "shop.orders")
KNOWN = [("file", "/lake/shop-orders")]


def names(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    """What the document declares, as it is read."""
    return [(each.object, each.namespace, each.name) for each in read(writer.write(document)).terms.aliases]


def test_the_first_alias_keeps_the_name_that_followed_from_the_place() -> None:
    before = plain()
    found = with_alias(before, "orders", NEW, existing=KNOWN)
    assert names(found) == [("orders", *KNOWN[0]), ("orders", *NEW)]
    assert before == plain()


def test_where_names_are_declared_the_new_one_is_put_beside_them_and_other_terms_stay() -> None:
    terms = {"aliases": [{"object": "orders", "namespace": "s3://lake", "name": "orders"}], "columns": "closed"}
    before = {**plain(), "customProperties": [{"property": "x", "value": 1}, {"property": "treaty", "value": terms}]}
    found = with_alias(before, "orders", NEW, existing=[("s3://lake", "orders")])
    assert names(found) == [("orders", "s3://lake", "orders"), ("orders", *NEW)]
    assert read(writer.write(found)).terms.columns == "closed"
    assert found["customProperties"][0] == {"property": "x", "value": 1}


def test_an_alias_that_is_there_changes_nothing() -> None:
    once = with_alias(plain(), "orders", NEW, existing=KNOWN)
    assert with_alias(once, "orders", NEW, existing=[*KNOWN, NEW]) == once


@pytest.mark.parametrize(
    ("version", "next_one"), [("1.0.0", "1.0.1"), ("1.9", "1.10"), ("7", "8"), ("1.0.0-beta", None), ("", None)]
)
def test_the_version_after_it_has_one_more_at_its_end(version: str, next_one: str | None) -> None:
    assert next_version_number(version) == next_one
