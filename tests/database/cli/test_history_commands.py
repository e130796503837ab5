"""`treaty history`: the measurements of an object as a table, as CSV and as Parquet."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from support.api import NOW, World, document

from treaty.engine.core.results import Measurement, RunResult
from treaty.registry.cli.main import _code
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunProvenance

DAY = timedelta(days=1)


def measured(day: int, value: float | None) -> RunResult:
    partition, reason = f"day={(NOW + day * DAY).date()}", None if value else "the rows cannot be read"
    size = Measurement(
        analyzer="size", arguments={}, partition=partition, value=value, reason=reason, identity="size()"
    )  # fmt: skip
    return RunResult(
        contract_id="shop-orders", contract_version="1.0.0", contract_fingerprint="", object="orders",
        partitions=(partition,), rows=None, started_at=NOW, finished_at=NOW + day * DAY,
        results=(), measurements=(size,),
    )  # fmt: skip


@pytest.fixture
def asked(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Runs `treaty history shop-orders.orders` over three days of sizes, the last of them a gap."""
    proposal = world.client("producer").propose(document())
    owner = world.client("owner")
    owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)
    with transaction(world.engine) as tx:
        for day, value in enumerate([5.0, 6.5, None]):
            recording.record(tx, ids.uuid7(NOW + day * DAY), measured(day, value), RunProvenance(), now=NOW + day * DAY)
        tx.commit()
    monkeypatch.setenv("TREATY_TOKEN", world.secrets["viewer"])
    monkeypatch.setattr("httpx.Client", lambda **_: world.http)

    def ask(*words: str) -> tuple[int, str]:
        code = _code(["history", "shop-orders.orders", *words])
        return code, "".join(capsys.readouterr())

    return ask


def test_a_history_is_a_table(asked: Callable[..., tuple[int, str]]) -> None:
    code, told = asked("--metric", "size")
    assert code == 0, told
    assert [line.split()[-2] for line in told.splitlines()[1:3]] == ["5", "6.5"]


def test_a_history_is_csv(asked: Callable[..., tuple[int, str]]) -> None:
    code, told = asked("--csv", "--since", f"{(NOW + DAY).date()}")
    head, *rows = told.splitlines()
    assert (code, head.split(",")[:4], len(rows)) == (0, ["identity", "analyzer", "arguments", "data_at"], 2)


def test_a_history_is_parquet(asked: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    import pyarrow.parquet

    code, told = asked("--parquet", str(tmp_path / "history.parquet"))
    assert code == 0, told
    assert pyarrow.parquet.read_table(tmp_path / "history.parquet")["value"].to_pylist() == [5.0, 6.5, None]


def test_what_is_no_time_is_said(asked: Callable[..., tuple[int, str]]) -> None:
    code, told = asked("--since", "yesterday")
    assert (code, "is not a date or time" in told) == (3, True)
