"""`treaty demo` on tables of one's own, as its user sees it: on SQLite, in a folder of its own, with nothing left."""

import csv
import re
import signal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.loops import Services, awaited, looped
from support.processes import all_gone, started, treaty

from treaty.engine.core.results import Verdict
from treaty.registry.demo import shop_data
from treaty.registry.demo.deliveries import own_lake, shop_lake
from treaty.registry.demo.producer import DemoProducer

DAYS = [f"2026-10-{day:02d}" for day in range(1, 13)]


def sales(path: Path) -> Path:
    """A CSV of twelve days, the last of which has amounts of the wrong sign."""
    rng = Random(5)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["day", "sale", "amount"])
        for day in DAYS:
            sign = -1 if day == DAYS[-1] else 1
            rows.writerows([day, rng.randrange(10**9), sign * rng.randrange(100, 900)] for _ in range(200))
    return path


def test_the_loop_runs_on_a_csv_file_with_a_date_column(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")

    told = treaty("demo", "--data", str(data), "--partition-by", "day", folder=tmp_path)

    assert told.returncode == 0, told.stderr
    verdicts = re.findall(r"(passed|failed)  sales (\S+)", told.stdout)
    assert [day for _, day in verdicts] == DAYS[7:]
    assert dict(reversed(each) for each in verdicts)[DAYS[-1]] == "failed"
    assert "amount is always positive" in told.stdout
    assert "Traceback" not in told.stdout + told.stderr
    assert list(tmp_path.iterdir()) == [data]


def test_a_column_that_is_not_there_is_said_before_anything_starts(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")

    told = treaty("demo", "--data", str(data), "--partition-by", "date", folder=tmp_path)

    assert told.returncode == 3
    assert told.stderr == f"treaty: {data} has no column date to partition by. Its columns: day, sale, amount\n"
    assert "2  History" not in told.stdout


def test_an_interrupted_demo_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with started("demo", folder=tmp_path) as command:
        awaited(lambda: any("2  History" in line for line in command.lines) or None)
        family = command.family()

        code, _, errors = command.ended(signal.SIGINT)

        assert (code, errors.splitlines()[-1:]) == (130, ["treaty: Stopped."])
        assert "Traceback" not in errors
        assert all_gone(family)
    assert list(tmp_path.glob("treaty-demo-*")) == []


def test_the_loop_runs_on_a_partitioned_folder(services: Services, producer_spark: Any, tmp_path: Path) -> None:
    lake = shop_lake(days=10, history=10, tables=shop_data.TABLES[2:])
    written = DemoProducer(session=producer_spark, root=tmp_path, column=lake.column, url="", token="")
    for delivery in lake.history:
        written.write(delivery)

    own = own_lake(producer_spark, written.location("customers"), "day", name="customers_by_day")
    judged = looped(services, producer_spark, own).results

    assert [each.partition for each in own.history] == [each.partition for each in lake.history[:6]]
    assert [each.delivery.partition for each in judged] == [each.partition for each in lake.history[6:]]
    assert all(each.run.verdict in (Verdict.PASSED, Verdict.WARNED) for each in judged)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "contains no file of a known format"),
        (
            {"2026-10-01.csv": "a,b\n1,2\n", "2026-10-02.csv": "a,b\n1,2\n"},
            "has 2 partition(s) by day. The demo needs at least 4",
        ),
    ],
)
def test_a_table_that_the_loop_cannot_run_on_is_refused(
    producer_spark: Any, tmp_path: Path, files: dict[str, str], said: str
) -> None:
    from treaty.engine.core.errors import UnreadableTable

    for name, text in files.items():
        (tmp_path / name).write_text(text)

    with pytest.raises(UnreadableTable) as refused:
        own_lake(producer_spark, str(tmp_path), "day")

    assert said in str(refused.value)
