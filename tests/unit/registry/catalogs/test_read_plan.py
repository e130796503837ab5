"""Which tables are loaded, confirmed and dropped follows from the listing and from what is stored."""

from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.catalogs.model import ListedTable, TableListing, parse_spelled, spell
from treaty.registry.catalogs.read_plan import ReadPlan, StoredTable, plan_read

NAMES = st.lists(st.text("ab.`", min_size=1, max_size=3), min_size=1, max_size=2).map(tuple)
TOKENS = st.sampled_from(["", "1", "2"])
LISTED = st.builds(ListedTable, NAMES, TOKENS.filter(bool) | st.none())
LISTINGS = st.builds(
    TableListing, st.lists(LISTED, max_size=6, unique_by=lambda each: each.identifier).map(tuple), st.booleans()
)
STORED = st.dictionaries(NAMES.map(spell), st.builds(StoredTable, TOKENS, st.booleans()), max_size=6)


def loaded(plan: ReadPlan) -> list[str]:
    return [each.name for each in plan.loads]


@given(LISTINGS, STORED)
def test_each_table_is_loaded_confirmed_or_dropped_and_no_two_of_them(
    listing: TableListing, stored: dict[str, StoredTable]
) -> None:
    plan = plan_read(listing, stored)
    parts = [*loaded(plan), *plan.confirmed, *plan.dropped]
    present = {name for name, each in stored.items() if not each.dropped}
    assert len(parts) == len(set(parts))
    assert set(parts) == {spell(each.identifier) for each in listing.tables} | present
    assert listing.complete or not plan.dropped
    assert all(stored[name].token for name in plan.confirmed)


@given(LISTINGS, STORED, st.integers(0, 6))
def test_the_parts_of_a_read_load_what_the_whole_would(
    listing: TableListing, stored: dict[str, StoredTable], at: int
) -> None:
    whole = loaded(plan_read(listing, stored))
    first = whole[:at]
    assert first + loaded(plan_read(listing, stored, after=first[-1] if first else "")) == whole


@given(st.lists(st.text(max_size=4), min_size=1, max_size=4).map(tuple))
def test_a_spelled_name_is_parsed_to_its_identifier(identifier: tuple[str, ...]) -> None:
    assert parse_spelled(spell(identifier)) == identifier


def test_a_token_that_is_listed_saves_the_load() -> None:
    listing = TableListing((ListedTable(("a",), "1"), ListedTable(("b",), "1"), ListedTable(("c",))))
    stored = {"a": StoredTable("1"), "b": StoredTable("2"), "c": StoredTable("1")}
    plan = plan_read(listing, stored)
    assert (plan.confirmed, loaded(plan)) == (("a",), ["b", "c"])
    assert [each.token for each in plan.loads] == ["2", "1"]


def test_a_table_that_was_dropped_is_loaded_in_full() -> None:
    plan = plan_read(TableListing((ListedTable(("a",), "1"),)), {"a": StoredTable("1", dropped=True)})
    assert [(each.name, each.token) for each in plan.loads] == [("a", "")]


def test_names_that_cannot_be_stored_are_counted() -> None:
    assert plan_read(TableListing((ListedTable(("a\x00",)), ListedTable(("é" * 600,)))), {}).unstorable == 2
