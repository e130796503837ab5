"""The audit's chain without a database: an export is verified as it lies, and every change of it shows."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.every import every
from support.tampering import CASES, LENGTH, OLDEST, Case, entries

from treaty.contracts.fingerprint import canonical
from treaty.engine.core.hash_key import HashKey
from treaty.registry.audit import hash_chain, signed_heads
from treaty.registry.audit.hash_chain import (
    BEGINNING,
    BROKEN_OFF,
    CHANGED,
    CUT_OFF,
    MISSING,
    NO_ENTRY,
    AuditHead,
    ChainCheck,
)
from treaty.registry.core.errors import InvalidRequest

TAKEN = datetime(2026, 3, 2, tzinfo=UTC)
KEY, OTHER = HashKey(b"k" * 32), HashKey(b"o" * 32)


def head(found: list[dict[str, Any]]) -> AuditHead:
    return AuditHead(position=len(found), hash=found[-1]["hash"] if found else BEGINNING, time=TAKEN)


def exported(found: list[dict[str, Any]]) -> list[bytes]:
    return list(hash_chain.lines(found))


def test_entries_as_they_were_written_follow_each_other() -> None:
    found = entries()
    assert hash_chain.follow(found, head(found)) == ChainCheck(LENGTH, found[-1]["hash"])
    assert hash_chain.follow([]) == ChainCheck(0)


def test_what_the_first_release_sealed_is_sealed_so_today() -> None:
    assert hash_chain.follow([OLDEST]) == ChainCheck(1, OLDEST["hash"])


def test_there_are_more_than_a_hundred_ways_to_tamper() -> None:
    assert len(CASES) > 100
    assert len({each.name for each in CASES}) == len(CASES)


@every("case", CASES, ids=str)
def test_every_change_of_an_export_shows_where_it_begins(case: Case) -> None:
    written = entries()
    found = hash_chain.follow(hash_chain.read(exported(case.change(written))), head(written))
    assert (found.broken_at, found.fault, found.entries) == (case.broken_at, case.fault, case.broken_at - 1)


@given(data=st.data())
def test_no_byte_of_an_export_can_be_another(data: st.DataObject) -> None:
    written = entries(3)
    content = bytearray(b"".join(exported(written)))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    found = hash_chain.follow(hash_chain.read(bytes(content).splitlines(keepends=True)), head(written))
    assert found.fault


@every("left", range(9))
def test_an_export_that_breaks_off_is_recognized(left: int) -> None:
    lines = exported(entries())
    assert len(lines) == 9
    found = hash_chain.follow(hash_chain.read(lines[:left]))
    assert (found.entries, found.broken_at, found.fault) == (left, left + 1, BROKEN_OFF)


@pytest.mark.parametrize("count", [0, 7, 9, 2**63, "8", None, True])
def test_an_export_names_the_number_of_its_entries(count: object) -> None:
    lines = exported(entries())
    found = hash_chain.follow(hash_chain.read([*lines[:8], canonical({"entries": count}) + b"\n"]))
    assert (found.broken_at, found.fault) == (9, NO_ENTRY)


def test_nothing_follows_the_end_of_an_export() -> None:
    lines = exported(entries())
    assert hash_chain.follow(hash_chain.read(lines)).fault is None
    for rest in (lines[-1], lines[0], b"\n"):
        assert hash_chain.follow(hash_chain.read([*lines, rest])).fault in {NO_ENTRY, MISSING}


@pytest.mark.parametrize("value", [float("nan"), b"bytes", "\ud800", {1, 2}])
def test_an_entry_that_cannot_be_written_ends_no_export(value: object) -> None:
    written = entries()
    lines = exported([*written[:3], {**written[3], "details": {"a": value}}, *written[4:]])
    assert len(lines) == 9
    found = hash_chain.follow(hash_chain.read(lines))
    assert (found.broken_at, found.fault) == (4, NO_ENTRY)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"", NO_ENTRY),
        (b"\n", NO_ENTRY),
        (b"{}\n", NO_ENTRY),
        (b"[]\n", NO_ENTRY),
        (b"no JSON\n", NO_ENTRY),
        (b"\xff\n", NO_ENTRY),
        (b"[" * 100_000, NO_ENTRY),
        (b"9" * 10_000, NO_ENTRY),
        (b'{"position":NaN}\n', NO_ENTRY),
    ],
)
def test_a_line_that_no_export_writes_is_no_entry(line: bytes, fault: str) -> None:
    assert hash_chain.follow(hash_chain.read([line])) == ChainCheck(0, BEGINNING, 1, fault)


def test_a_line_that_says_a_thing_twice_is_no_entry() -> None:
    line, _ = exported(entries(1))
    twice = line.replace(b'{"action"', b'{"actor":"eve","action"')
    assert hash_chain.follow(hash_chain.read([twice])).fault == NO_ENTRY


def test_an_export_that_begins_later_is_told_as_lacking_its_beginning() -> None:
    assert hash_chain.follow(entries()[3:]) == ChainCheck(0, BEGINNING, 1, MISSING)


def test_without_a_head_nobody_sees_what_was_cut_off() -> None:
    found = entries()
    assert hash_chain.follow(found[:3]).fault is None
    assert hash_chain.follow(found[:3], head(found)).fault == CUT_OFF


def test_what_was_written_since_the_head_was_taken_is_no_fault() -> None:
    found = entries()
    assert hash_chain.follow(found, head(found[:3])).fault is None


def test_only_the_key_that_signed_a_head_knows_it_again() -> None:
    signed = hash_chain.signed(head(entries()), KEY)
    assert [hash_chain.genuine(signed, keys) for keys in ([KEY], [OTHER, KEY], [OTHER], [])] == [True, True, None, None]
    assert hash_chain.genuine(head(entries()), [KEY]) is None
    assert hash_chain.signed(signed, None) == signed


@pytest.mark.parametrize("change", [{"position": 7}, {"hash": "a" * 64}, {"time": datetime(2027, 1, 1, tzinfo=UTC)}])
def test_a_signed_head_that_was_changed_is_not_genuine(change: dict[str, Any]) -> None:
    signed = hash_chain.signed(head(entries()), KEY)
    assert hash_chain.genuine(signed.model_copy(update=change), [KEY]) is False


def test_a_head_comes_back_from_its_file() -> None:
    signed = hash_chain.signed(head(entries()), KEY)
    assert signed_heads.read(signed.model_dump_json(indent=2).encode()) == signed


@pytest.mark.parametrize(
    "text", [b"", b"{}", b"[]", b"\xff", b'{"position": -1}', b'{"position": "1"}', b"[" * 100_000, b'{"hunter2": 1}']
)
def test_what_is_no_head_is_refused_in_few_words(text: bytes) -> None:
    with pytest.raises(InvalidRequest, match="Not a valid audit head") as refused:
        signed_heads.read(text)
    assert len(str(refused.value)) < 200


def test_what_no_hash_can_cover_was_changed() -> None:
    (entry,) = entries(1)
    assert hash_chain.follow([{**entry, "actor": b"bytes"}]).fault == CHANGED
    assert hash_chain.follow([{**entry, "actor": "\ud800"}]).fault == CHANGED
