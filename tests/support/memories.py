"""A service that remembers partitions of one table: a contract in force, and states in its database and in files."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from sqlmodel import select
from support.api import NOW, World, build, plain
from support.bags import bag

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.protocol.requests import MeasureResult
from treaty.engine.states.state_files import StateFiles
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.measurements.states import state_store
from treaty.registry.measurements.states.compaction import compact
from treaty.registry.tables import DatasetRow

TABLE = Schema((Column("id", "bigint"), Column("mail", "string"), Column("day", "string"), Column("land", "string")))
ROWS = {"id": [1, 2, 3, 4], "mail": ["a@x", None, "b@x", "c@x"]}
DAYS = [f"day=2026-03-0{day}/land={land}" for day in (1, 2, 3) for land in ("DE", "FR")]


def check(analyzer: str, **words: Any) -> dict[str, Any]:
    name = "-".join([analyzer, *map(str, words.values())])
    implementation = {"analyzer": analyzer, **words, "mustBeGreaterOrEqualTo": 0}
    return {"id": name, "type": "custom", "engine": "treaty", "implementation": implementation}


def document() -> dict[str, Any]:
    """A contract that measures rows, completeness and uniqueness; mail addresses are personal."""
    content = plain("shop-orders")
    (table,) = content["schema"]
    table["properties"] = [
        {"name": "id", "logicalType": "integer"},
        {"name": "mail", "logicalType": "string", "classification": "personal"},
        {"name": "day", "logicalType": "date", "partitioned": True, "partitionKeyPosition": 1},
        {"name": "land", "logicalType": "string", "partitioned": True, "partitionKeyPosition": 2},
    ]
    table["quality"] = [
        check("size"), check("completeness", column="mail"), check("uniqueness", column="id"),
        check("maximum", column="id"),
    ]  # fmt: skip
    return content


class Memory:
    """The service with the contract in force, and states of partitions in its database and in files."""

    def __init__(self, engine: Engine, home: Path) -> None:
        self.world: World = build(engine, home=home)
        self.files = StateFiles(str(home / "states"))
        made = self.world.client("producer").propose(writer.write(document()).decode())
        owner = self.world.client("owner")
        owner.approve(made.id, owner.preview(made.id).fingerprint)

    def save(self, *names: str, rows: Mapping[str, Any] = ROWS, **packing: Any) -> None:
        """Stores states of these rows for each of the partitions."""
        asked = bind(read(writer.write(document())).object("orders"), TABLE).plan
        self.put(bag(asked, TABLE, rows, **packing).pack(self.files), *names)

    def put(self, packed: bytes, *names: str) -> None:
        """Stores these packed states for each of the partitions, for those of DAYS where none is named."""
        names = names or tuple(DAYS)
        measured = MeasureResult(
            schema=TABLE,
            fingerprints={name: f"marker of {name}" for name in names},
            states=dict.fromkeys(names, packed),
        )
        with transaction(self.world.engine) as tx:
            state_store.save(tx, tx.exec(select(DatasetRow)).one().id, measured, now=NOW, ids=ids.new)
            tx.commit()

    def merge(self) -> int:
        """Merges the states of days by month."""
        with transaction(self.world.engine) as tx:
            dataset_id = tx.exec(select(DatasetRow)).one().id
        over = date(2027, 1, 1)
        return sum(compact(self.world.engine, self.files, dataset_id, over=over, clock=lambda: NOW, ids=ids.new))

    def forget(self, *names: str) -> None:
        """Ends what is stored of partitions that are there no longer."""
        with transaction(self.world.engine) as tx:
            dataset = tx.exec(select(DatasetRow)).one()
            state_store.save(tx, dataset.id, None, vanished=names, now=NOW, ids=ids.new)
            tx.commit()

    def metrics(self, where: str | None = None, *names: str, **more: Any) -> Any:
        """What is told to somebody who may read."""
        found = self.world.client("viewer").metrics("shop-orders", where=where, metrics=names, **more)
        return found, {each.phrase: each for each in found.metrics}
