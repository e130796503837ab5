"""The loop on tables that were published as they are: each file a snapshot, some of them broken by their publishers."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.loops import Services, looped, told
from support.required import shared

from treaty.engine.core.results import Verdict
from treaty.registry.demo.deliveries import own_lake
from treaty.registry.demo.scenario import DeliveryResult


@dataclass(frozen=True)
class Published:
    """Snapshots of a table from one day to another, and the day whose file was broken, and how."""

    table: str
    first: str
    last: str
    broken: str
    how: str


TABLES = [
    Published("italy_covid/regioni", "2020-04-26", "2020-05-15", "2020-05-11", "published with another delimiter"),
    Published("ourairports/regions", "2024-10-14", "2025-02-21", "2025-01-31", "published with its header alone"),
]


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All published snapshots, unpacked as the data's own script does it."""
    unpack, folder = shared("data", "unpack"), tmp_path_factory.mktemp("published")
    subprocess.run([str(unpack), str(folder)], check=True, capture_output=True, timeout=120)
    return folder


def chosen(snapshots: Path, published: Published, folder: Path) -> Path:
    """A folder with the snapshots of the days asked for."""
    wanted = folder / published.table.rpartition("/")[2]
    wanted.mkdir()
    for file in (snapshots / published.table).glob("*.csv"):
        if published.first <= file.stem <= published.last:
            os.link(file, wanted / file.name)
    return wanted


def verdicts(published: Published, judged: list[DeliveryResult]) -> str:
    """Every verdict in a line, as the log of the test run shows it."""
    others = [each for each in judged if each.alarmed and each.delivery.partition != published.broken]
    lines = [f"  {told(each)[:150]}" for each in judged]
    head = (
        f"{published.table}: {published.broken} was {published.how}; other alarms: {len(others)} of {len(judged) - 1}"
    )
    return "\n".join([head, *lines])


@pytest.mark.parametrize("published", TABLES, ids=lambda each: each.table)
def test_a_snapshot_that_was_published_broken_alarms(
    published: Published,
    snapshots: Path,
    services: Services,
    producer_spark: Any,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    data = chosen(snapshots, published, tmp_path)

    judged = looped(services, producer_spark, own_lake(producer_spark, str(data), "snapshot")).results

    record_property("verdicts", verdicts(published, judged))
    (broken,) = [each for each in judged if each.delivery.partition == published.broken]
    assert broken.run.verdict in (Verdict.FAILED, Verdict.WARNED), told(broken)
    assert all(each.run.verdict is not Verdict.NOT_EVALUATED for each in judged)
