"""Count hostile locations that are admitted and benign ones that are refused, at each door.

The doors are a request for a draft, an approval, the worker, and the Spark process before it reads. The corpora are
those of the tests; every door gets all of them, on a disk with links that lead out of the allowed folder."""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlmodel import Session

from bench.core.figures import Line
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import EngineError
from treaty.engine.core.locations.rules import AllowedLocation, LocationRules
from treaty.engine.protocol.requests import MeasureRequest, TableSource
from treaty.engine.spark.sources.allowed_files import check_source
from treaty.registry.contracts.locations import claimed_locations
from treaty.registry.contracts.locations.reserved_locations import reserved_locations
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.worker.restricted_engine import RestrictedEngine

TESTS = Path(__file__).parents[2] / "tests"
ALLOWED = (
    "s3://lake/raw", "gs://", "hdfs:///warehouse", "abfs://box@account.dfs.core.windows.net/tables", "vip"
)  # fmt: skip
# Returns whether the door lets a location in a format pass.
Door = Callable[[str, str | None], bool]


class Admitted(Exception):
    """The engine received a request."""


class RecordingEngine:
    """An engine that answers each measurement with `Admitted`."""

    def measure(self, request: MeasureRequest) -> Any:
        raise Admitted


def main() -> None:
    """Print the admitted hostile and the refused benign locations of each door."""
    sys.path.insert(0, str(TESTS))
    from support.hostile_locations import BENIGN, HOSTILE, REPORTED, prepared

    with tempfile.TemporaryDirectory() as folder:
        disk = prepared(Path(folder).resolve())
        with _doors(disk) as doors:
            for name, admits in doors.items():
                for kind, corpus, unwanted in (
                    ("reported drafts admitted", REPORTED, True),
                    ("hostile locations admitted", HOSTILE, True),
                    ("benign locations refused", BENIGN, False),
                ):
                    mistakes = [each for each in corpus if admits(each.at(disk), each.format) is unwanted]
                    print(Line(f"{name}: {kind}, of {len(corpus)}", len(mistakes), 0, "").text, flush=True)
                    print(*(f"  {each}\n" for each in mistakes), sep="", end="")


@contextmanager
def _doors(disk: Path) -> Iterator[dict[str, Door]]:
    from support.api import build
    from support.databases import sqlite_copy, sqlite_template

    allowed = ",".join((str(disk / "data"), *ALLOWED))
    settings: dict[str, Any] = {"home": disk / "data" / "home", "locations": allowed}
    (disk / "database-of-bench").mkdir()
    engine = sqlite_copy(sqlite_template(disk), disk / "database-of-bench")
    world = build(engine, **settings)
    rules = LocationRules(
        tuple(map(AllowedLocation, RegistrySettings(**settings).location_names)),
        reserved_locations(RegistrySettings(**settings)),
        str(settings["home"]),
    )
    with world.http, Session(engine) as session:
        yield {
            "draft": lambda location, kind: _drafts(world, location, kind),
            "approval": lambda location, kind: _approves(session, rules, location, kind),
            "worker": lambda location, kind: _measures(rules, TableSource(location, kind)),
            "Spark process": lambda location, kind: _reads(TableSource(location, kind, rules=rules)),
        }
    engine.dispose()


def _drafts(world: Any, location: str, kind: str | None) -> bool:
    body = {"location": location, "format": kind, "contract_id": "orders", "object": "orders"}
    sent = {"content": json.dumps(body), "given": {"Content-Type": "application/json"}}
    return bool(world.call("producer", "POST", "/drafts", **sent).status_code == 202)


def _approves(session: Session, rules: LocationRules, location: str, kind: str | None) -> bool:
    """Return whether a contract that a draft of the location led to may be approved."""
    from support.api import document

    source = {"object": "orders", "location": location, "format": kind}
    try:
        contract = read(document(physical=location).encode())
        claimed_locations.refuse_document(session, contract, source, rules)
    except (ContractError, InvalidRequest, UnicodeEncodeError):
        return False
    return True


def _measures(rules: LocationRules, source: TableSource) -> bool:
    engine: Any = RecordingEngine()
    try:
        RestrictedEngine(engine, lambda: rules).measure(MeasureRequest(source=source, contract=b"", object="t"))
    except EngineError:
        return False
    except Admitted:
        return True
    raise AssertionError("the engine answered without a request")


def _reads(source: TableSource) -> bool:
    try:
        check_source(source)
    except EngineError:
        return False
    return True


if __name__ == "__main__":
    main()
