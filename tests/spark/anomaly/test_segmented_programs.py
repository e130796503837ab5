"""Programs of a table by day and country on real Spark: drafted, held against later days of each country, refitted."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.engine.checks.binding import bind
from treaty.engine.core.errors import EngineError
from treaty.engine.core.learning_options import ProgramOptions
from treaty.engine.core.results import Outcome
from treaty.engine.programs.refitting.refits import Refit, of_states, refits, watched_clauses
from treaty.engine.protocol.requests import DraftRequest, DraftResult, TableSource
from treaty.engine.session.drafts import with_suggestions
from treaty.engine.session.verify import measure, verify
from treaty.engine.spark.handlers.draft import draft
from treaty.engine.spark.sources.readers import schema_of

START, DAYS = date(2026, 3, 1), 24
BY = ("day", "country")
LEVELS = {"at": 1.0, "de": 10.0, "us": 100.0}
SIZES = {"at": 40, "de": 60, "us": 240}
COLUMNS = "amount double, code string, day string, country string"
Row = tuple[float | None, str, str, str]


def day(at: int) -> str:
    return str(START + timedelta(days=at))


def rows(at: int, country: str) -> list[Row]:
    """A day of a country: rows and amounts on its own level; all amounts grow by a fiftieth a day."""
    drawn, level = random.Random(f"{at}{country}"), LEVELS[country] * (1 + 0.02 * at)
    size = SIZES[country] + drawn.randrange(SIZES[country] // 10)
    return [(level * drawn.gauss(100, 5), f"AB-{drawn.randrange(30):02d}", day(at), country) for _ in range(size)]


def days(spark: Any, first: int, last: int, odd: Mapping[tuple[int, str], list[Row]]) -> Any:
    named = [(at, country) for at in range(first, last) for country in LEVELS]
    return spark.createDataFrame([row for each in named for row in odd.get(each, rows(*each))], COLUMNS)


@dataclass(frozen=True)
class Drafted:
    """A contract with the programs that a draft suggested, and these suggestions."""

    contract: Contract
    suggestions: list[dict[str, Any]]


def drafted(spark: Any, path: Path) -> DraftResult:
    source = TableSource(str(path), partition_by=BY)
    wanted = DraftRequest(
        source=source, contract_id="orders", object="orders", programs=ProgramOptions(refit="within: 50%")
    )
    return draft(spark, wanted)


@pytest.fixture(scope="module")
def programs(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Drafted:
    path = tmp_path_factory.mktemp("history") / "orders"
    days(spark, 0, DAYS, {}).coalesce(1).write.partitionBy(*BY).parquet(str(path))
    found = drafted(spark, path)
    ours = [each for each in found.suggestions if each["kind"] in ("program", "volume")]
    return Drafted(read(with_suggestions(found.document, ours)), ours)


def test_every_column_has_a_program_of_all_countries(programs: Drafted) -> None:
    assert {each["column"] for each in programs.suggestions} == {None, "amount", "code"}
    for each in programs.suggestions:
        assert each["kind"] == "volume" or "learned from 3 segments" in each["sentence"]
        assert len(each["evidence"]["history"]) == 3 * DAYS
        assert each["evidence"]["back_test"] == []


def failed(spark: Any, programs: Drafted, odd: Mapping[str, list[Row]]) -> set[str]:
    """The partitions of the two days after the history whose programs fail; a country may have other rows."""
    last = {(DAYS + 1, country): some for country, some in odd.items()}
    run = verify(days(spark, DAYS - 20, DAYS + 2, last), programs.contract, partition_by=BY)
    ours = [each for each in run.results if "-program-" in (each.check_id or "") or each.check_id == "row-count"]
    assert len({each.partition for each in ours}) == 22 * len(LEVELS)
    return {each.partition or "" for each in ours if each.outcome is Outcome.FAILED}


def test_later_clean_days_of_no_country_alarm(spark: Any, programs: Drafted) -> None:
    assert failed(spark, programs, {}) == set()


BROKEN = {
    "at": [(None, *row[1:]) if at % 2 else row for at, row in enumerate(rows(DAYS + 1, "at"))],
    "de": [(1000 * (row[0] or 0), *row[1:]) for row in rows(DAYS + 1, "de")],
    "us": [(row[0], row[1].lower(), *row[2:]) for row in rows(DAYS + 1, "us")],
    "half of de": rows(DAYS + 1, "de")[::2],
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_day_alarms_in_its_country_alone(case: str, spark: Any, programs: Drafted) -> None:
    odd: list[Row] = BROKEN[case]  # type: ignore[assignment]
    country = case[-2:]
    assert failed(spark, programs, {country: odd}) == {f"day={day(DAYS + 1)}/country={country}"}


def test_a_refit_on_stored_states_compares_each_country_with_its_past(spark: Any, programs: Drafted) -> None:
    frame = days(spark, 0, DAYS + 6, {})
    schema = schema_of(frame)
    clauses = list(watched_clauses(bind(programs.contract.object("orders"), schema)))
    packed = measure(frame, programs.contract, object_name="orders", partition_by=BY)
    found = refits(clauses, of_states(clauses, schema, packed))
    assert found.keys() == {each.check_id for each in clauses}
    assert len(clauses) == len(programs.suggestions) - 1
    for refit in found.values():
        assert isinstance(refit, Refit)
        assert refit.points == 3 * (DAYS + 6)
        assert refit.evaluated >= 3 * (DAYS + 6 - 14 - 7)
        assert refit.alarms == ()


def test_too_many_countries_are_refused_with_the_reason(spark: Any, tmp_path: Path) -> None:
    many = [(1.0, "a", day(at), f"c{country}") for at in range(2) for country in range(21)]
    frame = spark.createDataFrame(many, COLUMNS).coalesce(1)
    frame.write.partitionBy(*BY).parquet(str(tmp_path / "t"))
    with pytest.raises(EngineError, match="at most 20 segments, and the table has 21"):
        drafted(spark, tmp_path / "t")
