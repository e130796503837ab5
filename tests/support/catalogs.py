"""Connections to catalogs in database tests, read by a worker as the periodic job has it."""

from typing import Any

from support.iceberg_rest import DEFAULTS
from support.scenes import Scene, add, rows

from treaty.registry.core import ids
from treaty.registry.tables import CatalogConnectionRow, CatalogTableRow, TaskRow
from treaty.registry.worker import periodic

NAMESPACE = "hive://metastore"


def connect(scene: Scene, address: str, name: str = "lake", **fields: Any) -> CatalogConnectionRow:
    """A connection to an Iceberg REST catalog on this machine, which is due."""
    now = scene.clock()
    parts = {"options": DEFAULTS, "private": True, "next_read_at": now, "created_at": now, "created_by": "admin"}
    row = CatalogConnectionRow(id=ids.new(), name=name, kind="iceberg", address=address, **(parts | fields))
    add(scene.database, row)
    return row


def read(scene: Scene, hours: float = 0, **worker: Any) -> dict[str, Any]:
    """Reads what is due after these hours; the result of the last task."""
    scene.clock.advance(hours * 3600)
    assert periodic.order_catalog_reads(scene.worker(**worker)) == 1
    scene.work(**worker)
    return rows(scene.database, TaskRow)[-1].result or {}


def connection(scene: Scene) -> CatalogConnectionRow:
    """The connection as it is stored."""
    (row,) = rows(scene.database, CatalogConnectionRow)
    return row


def tables(scene: Scene) -> dict[str, CatalogTableRow]:
    """The newest facts by name."""
    return {row.identifier: row for row in rows(scene.database, CatalogTableRow) if row.superseded_at is None}


def history(scene: Scene, name: str) -> list[CatalogTableRow]:
    """All facts of a table, oldest first."""
    return [row for row in rows(scene.database, CatalogTableRow) if row.identifier == name]
