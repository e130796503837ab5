"""The page on sharing, every line of it as it is written, on PostgreSQL."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.databases import postgres_server
from support.loops import Services, services
from support.pages import read_aloud
from support.required import require


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Services]:
    import shutil

    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    with (
        postgres_server() as url,
        services(tmp_path / "services", url) as started,
    ):
        yield started


def test_every_line_about_sharing_does_what_it_says(running: Services, tmp_path: Path) -> None:
    told = read_aloud("sharing", running, tmp_path / "page")
    said = [
        "orders 1.0.0",
        "No subscriptions.",
        "pass: ",
        "reports",
        "weekly revenue",
        "breaking because",
        "entries verified",
        "The version and the audit log match this record.",
    ]
    assert [each for each in said if each not in told] == []
    # The consumer's own check is judged beside the contract's.
    assert re.search(r"orders\.orders 1\.0\.0, subscription \S+, validated", told)
    # The version waits for the consumer, and the one before stays in force until then.
    waited, _, came = told.partition("breaking because")
    assert re.search(r"2\.0\.0\s+approved", waited)
    assert re.search(r"1\.0\.0\s+active", waited)
    assert re.search(r"2\.0\.0\s+active", came)
    assert re.search(r"1\.0\.0\s+superseded", came)
