"""How the pages write numbers, times and foreign texts."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.core.results import Outcome, Verdict
from treaty.registry.core.enums import Decision, ProposalState, TaskState, VersionState
from treaty.ui import texts as ui_texts

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ESCAPABLE = "\\`*_{}[]()#+-.!|~<>:$&\"'=^"
JOINER = ui_texts.WORD_JOINER


@pytest.mark.parametrize(
    ("measured", "shown"),
    [
        (None, ui_texts.NOTHING),
        ("", ui_texts.NOTHING),
        (0, "0"),
        (1.0, "1"),
        (31240, "31,240"),
        ("31240", "31,240"),
        ('"1234.50"', "1,234.5"),
        ('"abc"', "abc"),
        ('"', '"'),
        ("text", "text"),
        (-0.5, "-0.5"),
        (0.973, "0.973"),
        (0.59032217, "0.5903"),
        (0.99998, "0.99998"),
        (0.00001234, "0.00001234"),
        (1234.56789, "1,234.6"),
        (31.41593, "31.42"),
        (90.0004, "90.0004"),
        (1e20, "1e+20"),
        (Decimal("12.50"), "12.5"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
    ],
)
def test_a_measured_value_reads_as_a_person_would_write_it(measured: Any, shown: str) -> None:
    assert ui_texts.value(measured) == shown


@given(st.one_of(st.none(), st.text(), st.integers(), st.floats(), st.decimals()))
def test_any_value_has_a_text(measured: Any) -> None:
    assert isinstance(ui_texts.value(measured), str)


@given(st.integers(-(10**14), 10**14))
def test_the_text_of_a_whole_number_holds_all_of_its_digits(number: int) -> None:
    assert int(ui_texts.value(number).replace(",", "")) == number


@given(st.text())
def test_escaped_text_shows_what_was_written(text: str) -> None:
    plain = ui_texts.CONTROL.sub(" ", text)

    shown = re.sub(r"\\(.)", r"\1", ui_texts.esc(text), flags=re.DOTALL)

    assert shown.replace(JOINER, "") == plain.replace(JOINER, "")


@given(st.text(alphabet=ESCAPABLE + "ab1 /\n"))
def test_escaped_text_has_no_markdown_left(text: str) -> None:
    bare = re.sub(r"\\.", "", ui_texts.esc(text), flags=re.DOTALL)

    assert not set(bare) & set(ESCAPABLE)
    assert "\n" not in bare


@pytest.mark.parametrize(
    "hostile",
    ["http://host/x", "https://host", "www.host.example", "a@host.example", ":smile:", ":material/bolt:", ":red[x]"],
)
def test_what_becomes_a_link_or_an_icon_by_itself_is_broken_up(hostile: str) -> None:
    assert JOINER in ui_texts.esc(hostile)


def test_text_cannot_change_the_direction_of_the_page() -> None:
    assert ui_texts.esc("a\u202eb\u2066c\nd") == "a b c d"


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=42), "42 minutes ago"),
        (timedelta(hours=1, minutes=59), "1 hour ago"),
        (timedelta(days=3, hours=5), "3 days ago"),
    ],
)
def test_an_age_is_said_in_its_largest_unit(before: timedelta, shown: str) -> None:
    assert ui_texts.age(NOON - before, now=NOON) == shown


@pytest.mark.parametrize(
    ("timezone", "shown"),
    [
        ("Europe/Stockholm", "1 Mar 2026, 13:00 CET"),
        ("UTC", "1 Mar 2026, 12:00 UTC"),
        ("No/Where", "1 Mar 2026, 12:00 UTC"),
        ("../etc", "1 Mar 2026, 12:00 UTC"),
        ("", "1 Mar 2026, 12:00 UTC"),
    ],
)
def test_a_moment_is_written_in_the_viewers_zone(timezone: str, shown: str) -> None:
    assert ui_texts.moment(NOON, timezone=timezone) == shown


@pytest.mark.parametrize(
    ("time", "timezone", "shown"),
    [
        (datetime(9999, 12, 31, 23, 30, tzinfo=UTC), "Asia/Tokyo", "31 Dec 9999, 23:30 UTC"),
        (datetime(1, 1, 1, 0, 30, tzinfo=UTC), "America/New_York", "1 Jan 1, 00:30 UTC"),
    ],
)
def test_a_moment_at_the_ends_of_the_calendar_is_in_utc(time: datetime, timezone: str, shown: str) -> None:
    assert ui_texts.moment(time, timezone=timezone) == shown


def test_no_moment_is_never() -> None:
    assert ui_texts.moment(None, timezone="UTC") == "never"
    assert ui_texts.utc(None) == ""


@pytest.mark.parametrize(
    ("lower", "upper", "shown"),
    [
        (1009, 1522, "between 1,009 and 1,522"),
        (1, 1, "exactly 1"),
        (0.99, None, "at least 0.99"),
        (None, 5, "at most 5"),
        (None, None, ""),
    ],
)
def test_limits_are_said_in_words(lower: float | None, upper: float | None, shown: str) -> None:
    assert ui_texts.limits(lower, upper) == shown


@pytest.mark.parametrize(
    ("length", "shown"), [(timedelta(seconds=4.21), "4.2 s"), (timedelta(seconds=125), "2 min 5 s")]
)
def test_a_duration_is_said_in_minutes_and_seconds(length: timedelta, shown: str) -> None:
    assert ui_texts.took(length) == shown


@pytest.mark.parametrize(
    ("texts", "shown"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_a_list_reads_as_english(texts: list[str], shown: str) -> None:
    assert ui_texts.join_list(texts) == shown


@given(st.text(), st.text())
def test_slugs_are_fit_for_keys_and_tell_texts_apart(one: str, other: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]+", ui_texts.slug(one))
    assert one == other or ui_texts.slug(one) != ui_texts.slug(other)


@pytest.mark.parametrize(
    ("states", "marks"),
    [
        (Verdict, ui_texts.VERDICTS),
        (Outcome, ui_texts.OUTCOMES),
        (Decision, ui_texts.DECISIONS),
        (ProposalState, ui_texts.PROPOSALS),
        (VersionState, ui_texts.VERSIONS),
        (TaskState, ui_texts.TASKS),
    ],
)
def test_every_state_has_a_word_a_sign_and_a_colour(states: Any, marks: dict[str, ui_texts.StatusLabel]) -> None:
    assert {each.value for each in states} <= set(marks)
    for mark in marks.values():
        assert mark.word
        assert mark.icon.startswith(":material/")
        assert mark.colour in get_args(ui_texts.Colour)


def test_no_two_verdicts_look_the_same() -> None:
    assert len({(mark.icon, mark.colour) for mark in ui_texts.VERDICTS.values()}) == len(ui_texts.VERDICTS)


def test_prose_shows_code_as_code_and_everything_else_as_it_is_written() -> None:
    assert ui_texts.prose("a `b_c` of\n *d* `") == "a `b_c` of \\*d\\* \\`"
    assert ui_texts.prose("![x](http://y) `[z](http://y)`").endswith(" `[z](http://y)`")
    assert "![x]" not in ui_texts.prose("![x](http://y)")


def test_a_cell_says_where_there_is_no_value() -> None:
    assert [ui_texts.cell(each) for each in (None, "", "x")] == ["(null)", "", "x"]


def test_a_family_without_words_has_its_own_name() -> None:
    assert (ui_texts.family("nulls"), ui_texts.family("my_metrics")) == ("Missing values", "My metrics")


@pytest.mark.parametrize(
    ("partition", "label"),
    [
        ("day=2026-09-28", "2026-09-28"),
        ("month=2026-09", "2026-09"),
        ("day=2026-09-28/region=EU", "2026-09-28, region EU"),
        ("arrival=000007", "arrival 000007"),
        ("region=a%2Fb", "region a/b"),
        ("region=__HIVE_DEFAULT_PARTITION__", "region null"),
        ("whole", "whole"),
        ("", ""),
    ],
)
def test_a_partition_is_labeled_for_people(partition: str, label: str) -> None:
    assert ui_texts.partition_label(partition) == label


@pytest.mark.parametrize(
    ("measured", "unit", "shown"),
    [
        (0.5397, "share", "54.0 %"),
        ("0.5397", "share", "54.0 %"),
        (1, "share", "100.0 %"),
        (0.9999, "share", "> 99.9 %"),
        (None, "share", ui_texts.NOTHING),
        ("new", "share", "new"),
        (0.5397, "value", "0.5397"),
        (1626, "rows", "1,626"),
    ],
)
def test_a_share_is_a_percentage(measured: Any, unit: str, shown: str) -> None:
    assert ui_texts.value(measured, unit) == shown


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ((0.9, None), "at least 90.0 %"),
        ((None, 0.05), "at most 5.0 %"),
        ((0.1, 0.2), "between 10.0 % and 20.0 %"),
        ((None, None), ""),
    ],
)
def test_limits_of_a_share_are_percentages(limits: tuple[float | None, float | None], words: str) -> None:
    assert ui_texts.limits(*limits, "share") == words
