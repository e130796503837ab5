"""Facts of tables: stored without loss, within limits, and with names that are never alike."""

from hypothesis import given
from hypothesis import strategies as st

from treaty.contracts.fingerprint import canonical
from treaty.registry.catalogs import bounds
from treaty.registry.catalogs.model import (
    ColumnFacts,
    ForeignKeyFacts,
    GlossaryTermFacts,
    PartitionColumn,
    TableFacts,
    facts_fingerprint,
    from_json,
    spell,
    to_json,
)
from treaty.registry.datasets.names import LineageName

TEXTS = st.text(max_size=12)
TAGS = st.dictionaries(TEXTS, TEXTS | st.none(), max_size=3)
SEVERAL = st.lists(TEXTS, max_size=3).map(tuple)
COLUMNS = st.recursive(
    st.builds(ColumnFacts, name=TEXTS, type=TEXTS, comment=TEXTS, required=st.booleans(), tags=TAGS),
    lambda inner: st.builds(ColumnFacts, name=TEXTS, type=TEXTS, fields=st.lists(inner, max_size=3).map(tuple)),
    max_leaves=6,
)
KEYS = st.builds(ForeignKeyFacts, columns=SEVERAL, table=SEVERAL, referenced=SEVERAL)
FACTS = st.builds(
    TableFacts,
    identifier=st.lists(TEXTS, min_size=1, max_size=4).map(tuple),
    location=TEXTS | st.none(),
    names=st.lists(st.builds(LineageName, TEXTS, TEXTS), max_size=3).map(tuple),
    columns=st.lists(COLUMNS, max_size=4).map(tuple),
    primary_key=SEVERAL,
    foreign_keys=st.lists(KEYS, max_size=2).map(tuple),
    partition_columns=st.lists(st.builds(PartitionColumn, TEXTS, TEXTS), max_size=3).map(tuple),
    owners=SEVERAL,
    tags=TAGS,
    domain=TEXTS | st.none(),
    glossary_terms=st.lists(st.builds(GlossaryTermFacts, TEXTS, TEXTS | st.none()), max_size=2).map(tuple),
    description=TEXTS,
    link=TEXTS | st.none(),
    properties=st.dictionaries(TEXTS, TEXTS, max_size=3),
    token=TEXTS,
)  # fmt: skip


@given(FACTS)
def test_facts_are_converted_to_json_and_back_without_loss(facts: TableFacts) -> None:
    assert from_json(to_json(facts)) == facts


@given(FACTS, TEXTS)
def test_the_fingerprint_ignores_the_version_token_alone(facts: TableFacts, text: str) -> None:
    other = TableFacts(**{**vars(facts), "token": text})
    renamed = TableFacts(**{**vars(facts), "description": f"{facts.description}!"})
    cut = bounds.bounded(facts)
    assert facts_fingerprint(bounds.bounded(other)) == facts_fingerprint(cut)
    assert facts_fingerprint(bounds.bounded(renamed)) != facts_fingerprint(cut)


@given(FACTS)
def test_bounded_facts_can_be_stored_and_are_not_cut_again(facts: TableFacts) -> None:
    cut = bounds.bounded(TableFacts(**{**vars(facts), "identifier": ("a",), "names": ()}))
    assert "\\u0000" not in canonical(to_json(cut)).decode()
    assert bounds.bounded(cut) == cut


@given(st.lists(st.text("a.`", max_size=4), max_size=3), st.lists(st.text("a.`", max_size=4), max_size=3))
def test_no_two_identifiers_are_spelled_alike(one: list[str], other: list[str]) -> None:
    assert (spell(one) == spell(other)) == (one == other)


def test_what_exceeds_a_limit_is_left_out_and_reported() -> None:
    inner = tuple(ColumnFacts(name=f"i{at}", type="int") for at in range(1_500))
    columns = tuple(ColumnFacts(name=name, type="struct", fields=inner) for name in "ab")
    facts = TableFacts(
        identifier=("t",),
        columns=columns,
        owners=tuple(map(str, range(150))),
        tags={str(at): None for at in range(101)},
        description="x" * 4_001,
    )
    cut = bounds.bounded(facts)
    assert cut.omitted == ("1,002 columns", "1 long texts", "50 owners", "1 tags")
    assert [len(each.fields) for each in cut.columns] == [1_500, 498]
    assert (len(cut.owners), len(cut.tags), len(cut.description)) == (100, 100, 4_000)


def test_columns_below_the_deepest_level_are_left_out() -> None:
    column = ColumnFacts(name="c", type="int")
    for _ in range(bounds.DEEPEST + 4):
        column = ColumnFacts(name="c", type="struct", fields=(column,))
    assert bounds.bounded(TableFacts(identifier=("t",), columns=(column,))).omitted == ("1 columns",)


def test_names_that_do_not_fit_into_keys_are_not_storable() -> None:
    assert bounds.is_storable(("shop", "orders"))
    assert not any(map(bounds.is_storable, ((), ("a" * 1_001,), ("a\x00",), ("\ud800",))))
