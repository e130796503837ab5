"""What is admitted lies under an allowed location after all links are resolved; reserved places never are."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_locations import BENIGN, HOSTILE, prepared

from treaty.engine.core.locations.rules import AllowedLocation, LocationRules, ResolvedRules
from treaty.engine.core.locations.spelling import FILE, UnusableLocation, normalise, place_of_file, places

PIECES = ("data", "etc", "..", ".", "", "passwd", "%2e%2e", "%2F", "a b", "link", "ds=1", "home", "é", "x%00", ".git")
SCHEMES = ("", "/", "//", "file:", "file:/", "file:///", "s3://lake/", "S3A://lake/", "hdfs:///", "jdbc:", "text.")
SPELLED = st.builds(lambda start, pieces: start + "/".join(pieces), st.sampled_from(SCHEMES), st.lists(
    st.sampled_from(PIECES), max_size=6
))  # fmt: skip


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared(tmp_path_factory.mktemp("disk").resolve())


def rules_of(disk: Path) -> ResolvedRules:
    return LocationRules(
        (
            AllowedLocation(str(disk / "data")),
            AllowedLocation("s3://lake/raw"),
            AllowedLocation("gs://"),
            AllowedLocation("hdfs:///warehouse"),
            AllowedLocation("abfs://box@account.dfs.core.windows.net/tables"),
            AllowedLocation(str(disk / "data" / "finance"), "finance"),
            AllowedLocation("vip"),
        ),
        (str(disk / "data" / "home" / "states"), str(disk / "data" / "home" / "treaty.db*")),
        str(disk / "data" / "home"),
    ).resolve()


def test_no_hostile_place_is_admitted(disk: Path) -> None:
    rules = rules_of(disk)

    assert [each for each in HOSTILE if rules.refusal(each.at(disk), each.format, {"sales"}) is None] == []


def test_every_benign_place_is_admitted(disk: Path) -> None:
    rules = rules_of(disk)

    assert [each for each in BENIGN if rules.refusal(each.at(disk), each.format, {"finance"}) is not None] == []


@given(SPELLED)
def test_normalizing_twice_changes_nothing(location: str) -> None:
    try:
        once = normalise(location)
    except UnusableLocation:
        return
    assert normalise(once) == once


@given(SPELLED)
def test_what_is_admitted_lies_under_an_allowed_location(disk: Path, location: str) -> None:
    rules, spelled = rules_of(disk), location.replace("/data", f"{disk}/data")
    if rules.refusal(spelled) is not None:
        return
    for place in places(spelled):
        assert place.scheme == "table" or any(place.is_within(each) for each in rules.domains), (spelled, place)
        if place.scheme == FILE:
            assert os.path.realpath(str(place)).startswith(f"{disk}/data")


@pytest.mark.parametrize("name", ["missing", "there"])
def test_the_answer_does_not_depend_on_whether_a_file_exists(disk: Path, name: str) -> None:
    (disk / "secret").mkdir(exist_ok=True)
    (disk / "secret" / "there").touch()

    reason = rules_of(disk).refusal(str(disk / "secret" / name))

    assert (reason or "").replace(name, "?") == (
        f"{disk}/secret/? is not under an allowed location."
        f" An administrator can add it: treaty locations add {disk}/secret/?"
    )


@pytest.mark.parametrize(
    ("location", "domains", "allowed"),
    [
        ("finance/t", {"finance"}, True),
        ("finance/t", {"sales"}, False),
        ("finance/t", {None}, False),
        ("finance/t", None, True),
        ("other/t", {"sales"}, True),
        ("other/t", {None}, True),
    ],
)
def test_a_location_of_a_domain_is_for_its_contracts_alone(
    disk: Path, location: str, domains: set[str | None] | None, allowed: bool
) -> None:
    assert (rules_of(disk).refusal(str(disk / "data" / location), None, domains) is None) is allowed


@pytest.mark.parametrize(
    "location",
    ["data/../etc", "./x", "/data/../etc", "jdbc:postgresql://db/x", "s3:///x", "s3://key:secret@lake/x", "", " /data"],
)
def test_such_locations_cannot_be_allowed(location: str) -> None:
    with pytest.raises(UnusableLocation) as caught:
        normalise(location)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("{disk}/data/t/part-0.parquet", True),
        ("file:{disk}/data/t/x=a%2Fb/part-0.parquet", True),
        ("{disk}/data/link/passwd", False),
        ("{disk}/data/home/treaty.db-wal", False),
        ("{disk}/elsewhere/part-0.parquet", False),
        ("s3a://lake/raw/t/q=what?/part-0", True),
        ("s3a://other/raw/t/part-0", False),
    ],
)
def test_files_that_spark_lists_are_checked_one_by_one(disk: Path, path: str, allowed: bool) -> None:
    assert rules_of(disk).allows_file(path.format(disk=disk)) is allowed


def test_tables_of_an_allowed_catalog_may_lie_anywhere_but_in_reserved_places(disk: Path) -> None:
    rules = rules_of(disk)

    assert rules.covers("vip.sales.orders")
    assert not rules.covers("other.sales.orders")
    assert rules.allows_file("/elsewhere/part-0", is_vouched=True)
    assert not rules.allows_file(f"{disk}/data/home/states/x", is_vouched=True)


def test_a_link_is_followed_to_where_it_leads_now(disk: Path, tmp_path: Path) -> None:
    link = tmp_path / "moves"
    link.symlink_to(disk / "data")
    allowed = LocationRules((AllowedLocation(str(disk / "data")),))
    assert allowed.resolve().refusal(str(link / "t")) is None

    link.unlink()
    link.symlink_to("/etc")

    assert allowed.resolve().refusal(str(link / "t")) is not None
    assert place_of_file(str(link / "t")).steps == ("etc", "t")
