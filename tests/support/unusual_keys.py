"""Tables of owners who name keys as nobody else does: `ref_lfd` is the key, and `id_...` refers to other tables."""

from dataclasses import dataclass

from treaty.contracts.document.writer import write
from treaty.engine.suggestions.keys.name_features import SchemaColumnName
from treaty.engine.suggestions.keys.registry_model import KeyFacts
from treaty.engine.suggestions.keys.training import key_columns

SUBJECTS = (
    "antrag", "beleg", "charge", "depot", "eingang", "filiale", "gebinde", "halle", "inventur", "journal", "kasse",
    "lager", "mandant", "nachlass", "objekt", "palette", "quittung", "rampe", "sorte", "tour", "umschlag", "vertrag",
    "wagen", "zone", "artikel", "bestand", "dokument", "einheit", "faktura", "garantie",
)  # fmt: skip
KEY = "ref_lfd"


@dataclass(frozen=True)
class UnusualTable:
    """A table with its columns, in their order: names, types and whether each is unique."""

    name: str
    columns: tuple[tuple[str, str, bool], ...]


def unusual_tables(count: int = len(SUBJECTS)) -> list[UnusualTable]:
    """Tables without a name or most of their columns in common."""
    return [_table(at, name) for at, name in enumerate(SUBJECTS[:count])]


def _table(at: int, name: str) -> UnusualTable:
    other, third = (SUBJECTS[(at + step) % len(SUBJECTS)] for step in (7, 13))
    return UnusualTable(
        name,
        (
            (f"id_{other}", "bigint", False), (f"{other}_id", "bigint", False), (KEY, "decimal", True),
            (f"art_{name}", "string", False), (f"dat_{third}", "date", False), (f"wert_{name}", "double", False),
        ),
    )  # fmt: skip


def facts_of(tables: list[UnusualTable], fingerprint: str = "f1") -> KeyFacts:
    """What a registry knows of these tables, each a family of its own."""
    rows = [(each, column) for each in tables for column in each.columns]
    names = [
        SchemaColumnName(each.name, name, kind, tuple(other for other, _, _ in each.columns))
        for each, (name, kind, _) in rows
    ]
    columns = key_columns(names, [int(unique) for _, (_, _, unique) in rows], [each.name for each, _ in rows])
    return KeyFacts(columns=columns, fingerprint=fingerprint, tables=len(tables))


def contract_of(table: UnusualTable, *, declared: bool = True, version: str = "1.0.0") -> bytes:
    """A contract that declares the key, or nothing about keys."""
    properties = [
        {"name": name, "logicalType": LOGICAL[kind], "physicalType": kind, **({"unique": True} if unique else {})}
        for name, kind, unique in ((name, kind, unique and declared) for name, kind, unique in table.columns)
    ]
    return write({
        "apiVersion": "v3.1.0", "kind": "DataContract", "id": table.name, "name": table.name, "version": version,
        "status": "active", "schema": [{"name": table.name, "properties": properties}],
    })  # fmt: skip


LOGICAL = {"bigint": "integer", "decimal": "number", "string": "string", "date": "date", "double": "number"}
