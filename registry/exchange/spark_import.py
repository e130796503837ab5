"""Import the schema of a Spark table as a contract: DDL, CREATE TABLE or schema JSON.

The contract has no checks other than its schema."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from treaty.contracts.document import yaml_syntax
from treaty.contracts.document.columns import members, text
from treaty.contracts.document.writer import write
from treaty.contracts.editing.skeleton import skeleton
from treaty.contracts.errors import ROOT, ContractError, Fault, Faults
from treaty.contracts.schema import Column, Schema
from treaty.registry.exchange.export_source import ImportSource
from treaty.registry.exchange.spark_ddl import DdlTable, described, known_type

MAX_COLUMNS = 4000


def documents(source: ImportSource) -> Iterator[bytes]:
    """Yield the contract of the table in the text. Raises ContractError with all its faults."""
    table = _of_json(source.text) if source.text.lstrip().startswith(b"{") else described(_text(source.text))
    if len(table.columns) > MAX_COLUMNS:
        raise ContractError(
            [
                Fault(
                    code="spark-columns",
                    where=ROOT,
                    message=f"has more than {MAX_COLUMNS} columns",
                    remedy="split the table",
                )
            ]
        )
    name = table.name or source.name
    schema = Schema(tuple(column for column, _ in table.columns))
    document = skeleton(
        contract_id=name,
        name=name,
        object_name=name.rpartition(".")[2],
        physical_name=name,
        schema=schema,
        partition_by=table.partition_by,
    )
    for each, (_, about) in zip(document["schema"][0]["properties"], table.columns, strict=True):
        each.update({"description": about} if about else {})
    yield write(document)


def _text(source: bytes) -> str:
    if len(source) > yaml_syntax.MAX_BYTES:
        raise ContractError(
            [Fault(code="text-size", where=ROOT, message=f"is longer than {yaml_syntax.MAX_BYTES // 1024} KiB")]
        )
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ContractError(
            [Fault(code="text-encoding", where=ROOT, message="is not UTF-8", remedy="save it as UTF-8")]
        ) from None


def _of_json(source: bytes) -> DdlTable:
    parsed = yaml_syntax.parse(source)
    faults = Faults(parsed.lines)
    if parsed.data.get("type") != "struct" or not isinstance(parsed.data.get("fields"), list):
        faults.add("spark-schema", "type", "is not a table schema", "use the output of schema.json()")
    columns = tuple(_column(path, each, faults) for path, each in members(parsed.data, "fields"))
    if not columns and not faults.items:
        faults.add("spark-schema", "fields", "has no columns")
    faults.settle()
    return DdlTable(columns)


def _column(path: str, content: Mapping[str, Any], faults: Faults) -> tuple[Column, str | None]:
    name = text(content, "name")
    if not name:
        faults.add("spark-schema", path, "has no name")
    about = content.get("metadata")
    comment = text(about, "comment") if isinstance(about, dict) else None
    kind = _type(content.get("type"), yaml_syntax.join(path, "type"), faults)
    return Column(name or "", kind, content.get("nullable") is not False), comment


def _type(value: Any, path: str, faults: Faults) -> str:
    if isinstance(value, str):
        return known_type(value, path, faults)
    content: Mapping[str, Any] = value if isinstance(value, dict) else {}
    inner: Mapping[str, Sequence[str]] = {"array": ("elementType",), "map": ("keyType", "valueType")}
    kind = text(content, "type") or ""
    if kind in inner:
        parts = [_type(content.get(key), yaml_syntax.join(path, key), faults) for key in inner[kind]]
        return f"{kind}<{','.join(parts)}>"
    if kind == "struct":
        fields = [_column(at, each, faults)[0] for at, each in members(content, "fields", path)]
        return f"struct<{','.join(f'{each.name}:{each.type}' for each in fields)}>"
    faults.add("spark-type", path, "is not a Spark type", "use array, map, struct or a primitive type")
    return "string"
