"""Names that mean one dataset are found in any order, and never make one of two contracts' datasets."""

from datetime import UTC, datetime, timedelta
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.events.links import AliasLink
from treaty.registry.lineage.name_groups import NOBODY, NameGroups, Owners, group_names

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
A, B, C, D = (LineageName("file", f"/{letter}") for letter in "abcd")
ORDERS, SALES = frozenset({("orders", "orders")}), frozenset({("sales", "sales")})


def link(one: LineageName, other: LineageName, second: int = 0) -> AliasLink:
    return AliasLink(one, other, NOON + timedelta(seconds=second))


def test_links_are_followed_in_both_directions_and_onwards() -> None:
    found, refused = group_names([link(A, B), link(C, B)], {})
    assert (found.group(A), found.group(C), refused) == ({A, B, C}, {A, B, C}, ())
    assert found.group(D) == {D}


def test_what_one_contract_declares_is_one_dataset_without_any_link() -> None:
    found, _ = group_names([], {A: ORDERS, B: ORDERS, C: SALES})
    assert (found.group(A), found.group(C)) == ({A, B}, {C})
    assert found.owned(B) == ORDERS


def test_a_link_between_two_contracts_datasets_is_refused_with_their_names() -> None:
    found, (refusal,) = group_names([link(A, B)], {A: ORDERS, B: SALES})
    assert found.group(A) == {A}
    assert str(refusal) == "the link would merge the datasets of orders.orders and of sales.sales"


def test_of_two_links_that_together_would_join_contracts_the_older_one_holds() -> None:
    owners = {A: ORDERS, C: SALES}
    for links in ([link(A, B, 1), link(B, C, 2)], [link(B, C, 2), link(A, B, 1)]):
        found, (refusal,) = group_names(links, owners)
        assert (found.group(B), refusal.link.pair) == ({A, B}, (B, C))


def test_a_dataset_of_two_contracts_is_joined_with_that_of_either() -> None:
    found, refused = group_names([link(A, B)], {A: ORDERS | SALES, B: ORDERS})
    assert (found.group(A), refused) == ({A, B}, ())


NAMES = [LineageName("file", f"/{index}") for index in range(8)]
LINKS = st.lists(
    st.builds(link, st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 3)).filter(
        lambda each: each.one != each.other
    ),
    max_size=12,
)
OWNERS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([ORDERS, SALES]), max_size=4)


def parts(found: NameGroups) -> set[frozenset[LineageName]]:
    return {frozenset(found.group(name)) for name in NAMES}


@given(LINKS, OWNERS, st.randoms(use_true_random=False))
def test_the_order_of_links_does_not_matter(
    links: list[AliasLink], owners: dict[LineageName, Owners], random: object
) -> None:
    shuffled = links * 2
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert parts(group_names(shuffled, owners)[0]) == parts(group_names(links, owners)[0])


@given(LINKS, OWNERS)
def test_two_contracts_never_share_a_dataset_that_neither_declared_for_the_other(
    links: list[AliasLink], owners: dict[LineageName, Owners]
) -> None:
    found, _ = group_names(links, owners)
    for one, other in combinations(owners, 2):
        if owners[one] != owners[other]:
            assert found.group(one).isdisjoint(found.group(other))
    assert all(len(found.owned(name)) <= 1 for name in NAMES)


@given(LINKS)
def test_without_contracts_no_link_is_refused(links: list[AliasLink]) -> None:
    found, refused = group_names(links, {})
    assert refused == ()
    assert all(each.other in found.group(each.one) for each in links)
    assert all(found.owned(name) == NOBODY for name in NAMES)
