"""All kinds of catalogs with recorded answers: listing, loading, tokens, and answers that are denied or malformed."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import recorded_datahub as datahub
from support import recorded_unity as unity
from support.catalog_answers import JSON, Recorded, SourceCase, listed, loaded, opened, places, replaced
from support.recorded_datahub import DATAHUB
from support.recorded_gravitino import GRAVITINO
from support.recorded_openmetadata import OPENMETADATA
from support.recorded_unity import DATABRICKS, UNITY

from treaty.registry.catalogs.catalog_kinds import BUILT_IN
from treaty.registry.catalogs.errors import CatalogAnswerInvalid, CatalogError, CatalogRefused
from treaty.registry.catalogs.kinds import listed_tables
from treaty.registry.catalogs.kinds.listed_tables import ListedTables
from treaty.registry.catalogs.model import Dropped, TableFacts, Unchanged
from treaty.registry.catalogs.requests import CatalogAnswer

CASES = {each.kind.name: each for each in (UNITY, DATABRICKS, OPENMETADATA, DATAHUB, GRAVITINO)}
NAMES = sorted(CASES)
CHANGES = [(name, change) for name in NAMES for change in CASES[name].changes]
every_kind = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def changed(case: SourceCase, path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The answers of the case with another value in that place."""
    contents: dict[str, Any] = replaced(dict(case.contents), path, value)
    return contents


def read(case: SourceCase, contents: dict[str, Any], tokens: dict[Any, str]) -> tuple[list[Any], int]:
    """What a whole read loads, with the number of requests: of the tables whose token in the listing differs."""
    catalog = Recorded(contents)
    reader = opened(case, catalog)
    listing = listed(reader, catalog)
    others = [each for each in listing.tables if each.token is None or each.token != tokens.get(each.identifier)]
    results = [loaded(reader, catalog, each.identifier, tokens.get(each.identifier, "")) for each in others]
    return results, len(catalog.requests)


def tokens_of(case: SourceCase) -> dict[Any, str]:
    """The tokens after a first read."""
    results, _ = read(case, dict(case.contents), {})
    return {each.identifier: each.token for each in results}


def test_every_kind_has_a_case_and_describes_its_options_and_permissions() -> None:
    assert set(CASES) <= {each.name for each in BUILT_IN}
    for each in BUILT_IN:
        assert each.permissions
        assert all(option.help and (option.default in option.choices or not option.choices) for option in each.options)


@every_kind
def test_all_tables_are_listed_and_their_facts_are_read(case: SourceCase) -> None:
    catalog = Recorded(dict(case.contents))
    reader = opened(case, catalog)
    listing = listed(reader, catalog)
    assert (listing.complete, listing.problems) == (True, ())
    assert [each.identifier for each in listing.tables] == [each.identifier for each in case.facts]
    results = [loaded(reader, catalog, each.identifier) for each in listing.tables]
    assert tuple(replace(each, token="") for each in results if isinstance(each, TableFacts)) == case.facts
    assert all(isinstance(each, TableFacts) and each.token for each in results)


@every_kind
def test_a_second_read_loads_nothing_that_is_unchanged(case: SourceCase) -> None:
    results, count = read(case, dict(case.contents), tokens_of(case))
    assert ({type(each) for each in results} - {Unchanged}, count) == (set(), case.calm)


@pytest.mark.parametrize(("name", "change"), CHANGES)
def test_whatever_changes_is_noticed(name: str, change: str) -> None:
    case = CASES[name]
    tokens = tokens_of(case)
    results, _ = read(case, changed(case, *case.changes[change]), tokens)
    (facts,) = (each for each in results if isinstance(each, TableFacts))
    assert facts.identifier == case.changed
    assert facts.token != tokens[facts.identifier]


@every_kind
def test_a_listing_that_has_enough_ends_and_is_not_complete(case: SourceCase) -> None:
    catalog = Recorded(dict(case.contents))
    listing = listed(opened(case, catalog), catalog, most=1)
    assert (bool(listing.tables), listing.complete) == (True, False)


@pytest.mark.parametrize("case", [each for each in CASES.values() if each.denied[0]], ids=lambda each: each.kind.name)
def test_what_denies_access_is_a_problem_and_the_rest_is_listed(case: SourceCase) -> None:
    path, expected = case.denied
    catalog = Recorded({**case.contents, path: 403})
    listing = listed(opened(case, catalog), catalog)
    assert tuple(each.identifier for each in listing.tables) == expected
    assert not listing.complete
    assert ["status 403" in each and "has to grant" in each for each in listing.problems] == [True]


@every_kind
def test_a_table_that_was_dropped_after_the_listing_is_dropped(case: SourceCase) -> None:
    catalog = Recorded({**case.contents, **case.dropped})
    assert loaded(opened(case, catalog), catalog, case.changed) == Dropped()


@every_kind
@pytest.mark.parametrize("only", ["a.b.c.d", "a, b.c.d.e.f"])
def test_names_with_too_many_parts_are_refused_and_drop_nothing(case: SourceCase, only: str) -> None:
    wrong = replace(case, options={**case.options, "only": only})
    with pytest.raises(CatalogRefused, match="`only` has names of"):
        opened(wrong, Recorded(dict(case.contents)))


@every_kind
def test_a_wrong_address_is_refused_and_drops_nothing(case: SourceCase) -> None:
    signing_in = {path: content for path, content in case.contents.items() if "token" in path}
    with pytest.raises(CatalogRefused, match="status 404"):
        listed(opened(case, Recorded(signing_in)), Recorded(signing_in))


@pytest.mark.parametrize(("name", "content"), [(name, each) for name in NAMES for each in ("text", ["list"], None)])
def test_an_answer_of_another_form_is_an_error_that_names_the_request(name: str, content: Any) -> None:
    case = CASES[name]
    with pytest.raises(CatalogAnswerInvalid, match=r"^(GET|POST) .*is not an object. Check that the address"):
        listed(opened(case, lambda _: CatalogAnswer(200, content)), lambda _: CatalogAnswer(200, content))


LOOPS = [
    (UNITY, {f"{unity.ROOT}/schemas": {"schemas": [], "next_page_token": "again"}}),
    (UNITY, {unity.SHOP: {"tables": [], "next_page_token": "second"}, unity.SECOND: {"next_page_token": "second"}}),
    (DATABRICKS, {"api/2.0/domains": {"next_page_token": "again"}}),
    (DATABRICKS, {unity.TABLE_TAGS: {"next_page_token": "more"}, f"{unity.TABLE_TAGS}?page_token=more": "again"}),
    (OPENMETADATA, {"api/v1/databases": {"data": [], "paging": {"after": "again"}}}),
    (DATAHUB, {f"{datahub.LISTING}&scrollId=second": {"entities": [], "scrollId": "second"}}),
    (DATAHUB, {f"{datahub.ROOT}/tag": {"entities": [], "scrollId": "again"}}),
]


@pytest.mark.parametrize(("case", "pages"), LOOPS)
def test_pages_without_an_end_are_an_error(case: SourceCase, pages: dict[str, Any]) -> None:
    again = {path: {"next_page_token": "more"} if page == "again" else page for path, page in pages.items()}
    with pytest.raises(CatalogAnswerInvalid, match="the pages do not end"):
        read(case, {**case.contents, **again}, {})


@every_kind
@given(st.data())
def test_answers_with_anything_in_any_place_are_read_or_refused(case: SourceCase, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from([each for each in places(dict(case.contents)) if each]))
    contents = changed(case, place, data.draw(JSON))
    try:
        read(case, contents, {})
    except CatalogError:
        return


@every_kind
@given(JSON)
def test_a_catalog_that_always_answers_the_same_is_read_or_refused(case: SourceCase, content: Any) -> None:
    catalog = Recorded({})
    catalog.contents = dict.fromkeys(case.contents, content)
    try:
        reader = opened(case, catalog)
        listed(reader, catalog)
        loaded(reader, catalog, case.facts[0].identifier)
    except CatalogError:
        return


def test_listed_tables_take_a_bounded_space_and_are_returned_once() -> None:
    tables = ListedTables(most_bytes=60)
    facts = TableFacts(identifier=("a",))
    for each in "abcdefgh":
        assert tables.add((each,), {"name": each}, lambda: facts).token == listed_tables.with_token(facts).token
    assert 0 < len(tables.contents) < 8
    assert tables.size <= 60
    assert (tables.take(("a",)), tables.take(("a",))) == ({"name": "a"}, None)
    assert tables.size == sum(map(len, tables.contents.values()))


ODD = (None, True, 7, "", "x", [], ["x"], [{}], {}, {"name": ["x"]})


@pytest.mark.search
@every_kind
def test_no_place_of_an_answer_is_trusted(case: SourceCase) -> None:
    for place in places(dict(case.contents)):
        for value in ODD if len(place) > 1 else ():
            try:
                read(case, changed(case, place, value), {})
            except CatalogError:
                continue
