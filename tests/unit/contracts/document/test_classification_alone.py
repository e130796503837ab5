"""A document that says what another one classifies, and nothing else: it classifies the same, and tells no more."""

import yaml
from hypothesis import given
from hypothesis import strategies as st

from treaty.contracts.document.classification import ALONE, classification_document, is_classified, with_classifications
from treaty.contracts.document.model import DataObject, Property
from treaty.contracts.document.reader import read

WORDS = {
    "classification": st.sampled_from([None, "restricted", "Public", "internal", "whatever"]),
    "tags": st.lists(st.sampled_from(["pii", "team-a", "gdpr.special"]), max_size=2).map(tuple),
    "encrypted": st.booleans(),
}
NAMES = ("a", "B", "c")


def columns(inside: st.SearchStrategy[tuple[Property, ...]]) -> st.SearchStrategy[tuple[Property, ...]]:
    one = st.builds(Property, name=st.sampled_from(NAMES), properties=inside, items=elements(inside), **WORDS)
    return st.lists(one, max_size=3, unique_by=lambda each: each.name).map(tuple)


def elements(inside: st.SearchStrategy[tuple[Property, ...]]) -> st.SearchStrategy[Property | None]:
    return st.none() | st.builds(Property, name=st.just(""), properties=inside, **WORDS)


TABLES = st.builds(
    DataObject,
    name=st.just("theirs"),
    properties=st.recursive(st.just(()), columns, max_leaves=6),
    tags=WORDS["tags"],
)
PATHS = st.lists(st.sampled_from(["a", "b", "C", "d"]), min_size=1, max_size=3).map(tuple)


@given(TABLES, PATHS)
def test_it_classifies_what_the_object_does(table: DataObject, path: tuple[str, ...]) -> None:
    told = read(classification_document(table)).objects[0]
    assert is_classified(told, path) == is_classified(table, path)


@given(TABLES)
def test_it_says_no_other_words(table: DataObject) -> None:
    (told,) = yaml.safe_load(classification_document(table))["schema"]
    assert told["name"] == ALONE["id"]
    assert said(told) <= {"name", "logicalType", "properties", "items", "classification", "tags", "encryptedName"}
    assert "team-a" not in f"{told}"


def said(element: dict[str, object]) -> set[str]:
    """The words of the element and of all that lie in it."""
    inside = [*element.get("properties", ()), *([element["items"]] if "items" in element else [])]  # type: ignore[misc]
    return set(element).union(*map(said, inside))


def test_columns_of_which_nothing_is_said_are_left_out() -> None:
    table = DataObject(
        name="theirs", properties=(Property(name="a"), Property(name="b", properties=(Property(name="c"),)))
    )
    assert read(classification_document(table)).objects[0].properties == ()


def test_the_contract_knows_what_others_classify_of_one_table() -> None:
    orders, others = DataObject(name="orders"), DataObject(name="others")
    contract = read(classification_document(orders))
    told = with_classifications(
        contract, ALONE["id"], (DataObject(name="x", properties=(Property(name="a", encrypted=True),)), others)
    )
    assert is_classified(told.object(ALONE["id"]), ("A",))
    assert not is_classified(with_classifications(contract, "another", (others,)).object(ALONE["id"]), ("a",))
