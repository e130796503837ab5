"""Measure lineage intake: `python -m bench.lineage.reception [--postgres] [--only PART ...] [--rounds N] [--rows N]`.

Sends events over HTTP to the service in a separate process. Prints the acknowledgement times, counted from when each
event was due; that each event was stored once and had one effect; and the time from an event to the verdict, with a
real worker whose Spark is warm. Acknowledgement goals apply to PostgreSQL."""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from typing import Any, cast
from uuid import UUID, uuid5

from sqlalchemy import Engine, func
from sqlmodel import col, select

from bench.core.clock import cpu_seconds
from bench.lineage.senders import Sent, event, send
from bench.registry.service import Line, database, locations, service, share
from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.registry.access import users
from treaty.registry.access.authentication import Principal
from treaty.registry.client import Client
from treaty.registry.core import ids
from treaty.registry.core.database import connect, migrate, read_session, transaction
from treaty.registry.core.enums import Permission, Role
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import LineageEventRow, LineageRunRow, PendingValidationRow, RunRow
from treaty.registry.worker.loop import Worker

RUNS = UUID("0197c0de-0000-7000-8000-000000000000")
TIMES, CAME_AGAIN = 3, 2
PATIENCE = 300.0
LOG_FILES = 8
# An event that arrives sooner after a validation request waits for further ones: 5 s by default, per contract.
QUIET = 6.0


@dataclass(frozen=True)
class Setting:
    """The running service with its database, and the tokens of a producer and an owner."""

    address: str
    url: str
    folder: Path
    engine: Engine
    producer: str
    owner: str
    options: argparse.Namespace

    def goal(self, number: float) -> float | None:
        """Return the goal if it applies to this database, else None."""
        return number if self.engine.dialect.name == "postgresql" else None

    def event_counts(self) -> tuple[int, int]:
        """Return the number of events in the inbox, and the number of duplicates."""
        with read_session(self.engine) as tx:
            rows, repeats = tx.exec(
                select(func.count(), func.sum(LineageEventRow.duplicates)).select_from(LineageEventRow)
            ).one()
        return rows, int(repeats or 0)


def burst(setting: Setting) -> Iterator[Line]:
    """Send many events within a second, every ten seconds; the first burst is a warm-up and not counted."""
    bursts: list[list[Sent]] = []
    send(setting.address, setting.producer, _events(setting.options.events), seconds=1)
    _keep_log_files(setting.engine)
    before, cpu = setting.event_counts()[0], cpu_seconds()
    for _ in range(setting.options.bursts):
        started = time.perf_counter()
        bursts.append(send(setting.address, setting.producer, _events(setting.options.events), seconds=1))
        time.sleep(max(0.0, 10 - (time.perf_counter() - started)))
    used, every = cpu_seconds() - cpu, [each for one in bursts for each in one]
    number = f"{setting.options.events:,}"
    worst = max(_late(one, 0.99) for one in bursts)
    print(f"{'':44} p99 of each burst: {', '.join(f'{_late(one, 0.99):.0f}' for one in bursts)} ms")
    yield Line(f"burst of {number} in 1 s, p99 of the slowest", worst, setting.goal(300))
    yield Line(f"burst of {number} in 1 s, p50", _late(every, 0.5), None)
    yield Line("CPU of service and sender, per event", used * 1000 / len(every), None)
    yield from _all_kept("bursts", every, setting.event_counts()[0] - before)


def steady(setting: Setting) -> Iterator[Line]:
    """Send events at a steady rate."""
    rate, seconds = setting.options.rate, setting.options.seconds
    before, cpu = setting.event_counts()[0], cpu_seconds()
    sent = send(setting.address, setting.producer, _events(int(rate * seconds)), seconds=seconds)
    used = cpu_seconds() - cpu
    yield Line(f"steady {rate:g}/s for {seconds:g} s, p99", _late(sent, 0.99), setting.goal(50))
    yield Line(f"steady {rate:g}/s for {seconds:g} s, p50", _late(sent, 0.5), None)
    yield Line("CPU of service and sender, per event", used * 1000 / len(sent), None)
    yield from _all_kept("steady", sent, setting.event_counts()[0] - before)


def effects(setting: Setting) -> Iterator[Line]:
    """Send every event three times in random order: it must be stored, processed and counted once."""
    number, path = setting.options.events, "/lake/counted"
    _in_force(setting, "counted", path)
    first = clock.now() - timedelta(seconds=number)
    bodies = [event(path, run=uuid5(RUNS, str(at)), at=first + timedelta(seconds=at)) for at in range(number)] * TIMES
    random.Random(7).shuffle(bodies)
    (rows, repeats), triggers = setting.event_counts(), _triggers(setting, "counted")
    sent = send(setting.address, setting.producer, bodies, seconds=TIMES * number / setting.options.rate)
    now_rows, now_repeats = setting.event_counts()
    yield Line("every event 3 times: not acknowledged", _not_taken(sent), 0, "events")
    yield Line("every event 3 times: stored too often", abs(now_rows - rows - number), 0, "events")
    yield Line("every event 3 times: duplicates missed", abs(now_repeats - repeats - CAME_AGAIN * number), 0, "events")
    took = _folded(setting)
    print(f"{'':44} processed at {now_rows / took:,.0f} events per second, in this process alone")
    with read_session(setting.engine) as tx:
        runs = tx.exec(select(func.count()).where(col(LineageRunRow.run_id).in_(_run_ids(number)))).one()
    triggered = _triggers(setting, "counted") - triggers
    yield Line("every event 3 times: runs too many or few", abs(runs - number), 0, "runs")
    yield Line("every event 3 times: effects too many or few", abs(triggered - number), 0, "")


def verdict(setting: Setting) -> Iterator[Line]:
    """Measure the time from a partition's event to its verdict with warm Spark."""
    lake = setting.folder / "lake" / "orders"
    for day in range(3):
        _write(lake, day, setting.options.rows)
    _in_force(setting, "orders", str(lake))
    with working(setting):
        cold = _seconds_to_verdict(setting, None)
        times, pieces, cpu = list[float](), list[tuple[float, float]](), list[float]()
        for day in range(3, 3 + setting.options.rounds + 1):
            time.sleep(QUIET)
            _write(lake, day, setting.options.rows)
            before = cpu_seconds()
            total, waited, read = _round(setting, lake, day)
            if day > 3:
                times.append(total)
                pieces.append((waited, read))
                cpu.append(cpu_seconds() - before)
    print(f"{'':44} the first verdict, with cold Spark, took {cold:.1f} s")
    rows = f"{setting.options.rows:,} rows"
    yield Line(f"event to verdict, {rows}, slowest", max(times), 3, "s")
    yield Line(f"event to verdict, {rows}, median", median(times), None, "s")
    yield Line("  until the task started, median", median(each for each, _ in pieces), None, "s")
    yield Line("  reading and evaluating, median", median(each for _, each in pieces), None, "s")
    yield Line("CPU of service, worker and Spark, median", median(cpu), None, "s")


PARTS = {"burst": burst, "steady": steady, "effects": effects, "verdict": verdict}


def _keep_log_files(engine: Engine) -> None:
    """Make PostgreSQL keep WAL files, as after a day of use: creating one stalls all writers."""
    if engine.dialect.name != "postgresql":
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for at in range(LOG_FILES):
            connection.exec_driver_sql(f"create table filled_{at} as select 1; select pg_switch_wal()")
        connection.exec_driver_sql("checkpoint")
        for at in range(LOG_FILES):
            connection.exec_driver_sql(f"drop table filled_{at}")


def _events(number: int) -> list[bytes]:
    return [event(f"/lake/burst/{at % 50}") for at in range(number)]


def _late(sent_messages: Sequence[Sent], part: float) -> float:
    return share([each.ms for each in sent_messages], part)


def _not_taken(sent_messages: Sequence[Sent]) -> int:
    return sum(each.status != 201 for each in sent_messages)


def _all_kept(name: str, sent_messages: Sequence[Sent], stored: int) -> Iterator[Line]:
    yield Line(f"{name}: not acknowledged, of {len(sent_messages):,}", _not_taken(sent_messages), 0, "events")
    yield Line(f"{name}: acknowledged and lost", len(sent_messages) - _not_taken(sent_messages) - stored, 0, "events")


def _run_ids(number: int) -> list[str]:
    return [str(uuid5(RUNS, str(at))) for at in range(number)]


def _triggers(setting: Setting, contract_id: str) -> int:
    with read_session(setting.engine) as tx:
        marked = select(func.sum(PendingValidationRow.trigger_sequence)).where(
            PendingValidationRow.contract_id == contract_id
        )
        return int(tx.exec(marked).one() or 0)


def _folded(setting: Setting) -> float:
    """Process all pending events and return the seconds taken; no engine is needed."""
    nothing = cast("Any", None)
    worker = Worker(
        database=setting.engine,
        engine=nothing,
        evaluate=nothing,
        large=nothing,
        settings=RegistrySettings(home=setting.folder),
    )
    started = time.perf_counter()
    while worker.take_in():
        pass
    return time.perf_counter() - started


def _in_force(setting: Setting, name: str, path: str) -> None:
    """Activate a contract for the table at that path: six checks, one of them of uniqueness."""
    columns = {"id": "bigint", "customer": "bigint", "amount": "double", "status": "string"}
    properties: list[dict[str, Any]] = [
        {"name": each, "logicalType": "string" if kind == "string" else "number", "physicalType": kind,
         "required": True} for each, kind in columns.items()
    ]  # fmt: skip
    properties[0]["unique"] = True
    day = {"name": "day", "logicalType": "date", "physicalType": "date", "partitioned": True, "partitionKeyPosition": 1}
    enough = {"id": "rows", "type": "library", "metric": "rowCount", "mustBeGreaterThan": 0}
    table = {"name": "orders", "physicalName": path, "properties": [*properties, day], "quality": [enough]}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": name, "name": name, "version": "1.0.0"}
    text = writer.write({**head, "status": "draft", "schema": [table]}).decode()
    with Client(setting.address, setting.producer) as producer, Client(setting.address, setting.owner) as owner:
        proposal = producer.propose(text)
        owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)


def _write(lake: Path, day: int, rows: int) -> None:
    """Write one partition as one Parquet file."""
    import numpy
    import pyarrow
    from pyarrow import parquet

    noise, folder = numpy.random.default_rng(day), lake / f"day={date(2026, 1, 1) + timedelta(days=day)}"
    folder.mkdir(parents=True, exist_ok=True)
    columns = {
        "id": numpy.arange(day * rows, (day + 1) * rows),
        "customer": noise.integers(0, rows // 5 or 1, rows),
        "amount": noise.gamma(2, 30, rows),
        "status": noise.choice(["open", "shipped", "delivered", "returned"], rows),
    }
    parquet.write_table(pyarrow.table(columns), folder / "part-0.parquet")


def _round(setting: Setting, lake: Path, day: int) -> tuple[float, float, float]:
    """Return seconds: from event to verdict, until the task started, of reading and evaluating."""
    sent, began = clock.now(), time.perf_counter()
    (answer,) = send(setting.address, setting.producer, [event(str(lake))], seconds=0.001)
    if answer.status != 201:
        raise SystemExit(f"the event was not acknowledged: HTTP status {answer.status}")
    _seconds_to_verdict(setting, f"day={date(2026, 1, 1) + timedelta(days=day)}")
    took = time.perf_counter() - began
    with read_session(setting.engine) as tx:
        run = tx.exec(select(RunRow).order_by(col(RunRow.id).desc()).limit(1)).one()
    return took, (run.started_at - sent).total_seconds(), (run.finished_at - run.started_at).total_seconds()


def _seconds_to_verdict(setting: Setting, partition: str | None) -> float:
    """Wait for a run of the orders (None: of any partition) and return the seconds."""
    started = time.perf_counter()
    runs = select(RunRow.partitions, RunRow.verdict, RunRow.reason).where(RunRow.contract_id == "orders")
    query = runs.order_by(col(RunRow.id).desc())
    while time.perf_counter() - started < PATIENCE:
        with read_session(setting.engine) as tx:
            last = tx.exec(query.limit(1)).first()
        if last and (partition is None or partition in last[0]):
            if last[1] != "passed":
                raise SystemExit(f"the verdict of the run was {last[1]}: {last[2]}")
            return time.perf_counter() - started
        time.sleep(0.01)
    raise SystemExit(f"no verdict within {PATIENCE:.0f} s: see worker.log")


@contextmanager
def working(setting: Setting) -> Iterator[None]:
    """Start a worker with real Spark in a separate process."""
    environment = {
        "TREATY_DATABASE_URL": setting.url,
        "TREATY_HOME": str(setting.folder),
        "TREATY_LOCATIONS": locations(setting.folder),
    }
    log = (setting.folder / "worker.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "treaty.registry.worker"], env={**os.environ, **environment}, stderr=log
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _tokens(engine: Engine) -> tuple[str, str]:
    scopes = {
        Role.PRODUCER: (Permission.READ, Permission.PROPOSE, Permission.LINEAGE),
        Role.OWNER: (Permission.READ, Permission.DECIDE),
    }
    tokens = []
    with transaction(engine) as tx:
        for role, permissions in scopes.items():
            user = users.new_user(ids.new(), name=role.value, password=None, roles=[role], now=clock.now())
            users.create_user(tx, user, actor="bench", now=clock.now())
            by = Principal(
                user_id=user.id, name=user.name, roles=frozenset({Role.ADMIN}), permissions=frozenset(Permission)
            )
            token = users.new_token(ids.new(), user_id=user.id, name="bench", scopes=permissions, now=clock.now())
            tokens.append(users.issue_token(tx, token, by=by, now=clock.now()))
        tx.commit()
    return tokens[0], tokens[1]


def measure(url: str, folder: Path, options: argparse.Namespace) -> None:
    engine = connect(url)
    migrate(engine)
    producer, owner = _tokens(engine)
    print(
        f"{engine.dialect.name}; {len(event('/lake/orders')):,} bytes per event; {os.cpu_count()} cores, "
        f"service processes: {options.processes}"
    )
    with service(url, folder, options.processes) as address:
        setting = Setting(address, url, folder, engine, producer, owner, options)
        for name in options.only:
            for line in PARTS[name](setting):
                print(line.text, flush=True)
    engine.dispose()


def main(argv: Sequence[str] | None = None) -> None:
    """Start a service over an empty database and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", action="store_true", help="use PostgreSQL instead of SQLite")
    parser.add_argument("--processes", type=int, default=2, help="number of service processes")
    parser.add_argument("--events", type=int, default=1000, help="events per burst, and distinct events of `effects`")
    parser.add_argument("--bursts", type=int, default=5)
    parser.add_argument("--rate", type=float, default=200, help="events per second of `steady`")
    parser.add_argument("--seconds", type=float, default=20, help="duration of `steady`")
    parser.add_argument("--rows", type=int, default=100_000, help="rows per partition")
    parser.add_argument("--rounds", type=int, default=5, help="measured verdicts, after two that are not counted")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="treaty-bench-") as temporary:
        folder = Path(temporary)
        with database(folder, postgres=options.postgres) as url:
            measure(url, folder, options)


if __name__ == "__main__":
    main()
