"""Import the models and sources of a dbt `schema.yml` as contracts.

Data tests and constraints that Treaty supports become its checks. Others become checks of engine `dbt`, which dbt
evaluates. Templates are not rendered."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from treaty.contracts.document import yaml_syntax
from treaty.contracts.document.columns import Element, members, text
from treaty.contracts.document.writer import write
from treaty.contracts.errors import Faults
from treaty.contracts.schema import LOGICAL
from treaty.registry.exchange.dbt_tests import constraint, entry, is_test
from treaty.registry.exchange.export_source import ImportSource
from treaty.registry.exchange.spark_ddl import known_type

TESTS = ("data_tests", "tests")
WORDS = frozenset({"required", "unique"})
MAX_MODELS, MAX_TESTS = 1000, 4000


def documents(source: ImportSource) -> Iterator[bytes]:
    """Yield the contracts of all models, sources and snapshots. Raises ContractError with all faults of the text."""
    parsed = yaml_syntax.parse(source.text)
    faults = Faults(parsed.lines)
    elements = [*members(parsed.data, "models"), *_of_sources(parsed.data), *members(parsed.data, "snapshots")]
    if not elements:
        faults.add("dbt-models", "", "has no models and no sources", "use a dbt file with `models:`")
    _inspect_size(elements, faults)
    contracts = [_document(each, faults) for each in elements]
    faults.settle()
    yield from map(write, contracts)


def _inspect_size(elements: Sequence[Element], faults: Faults) -> None:
    """Raise ContractError if the file has more models or tests than is plausible."""
    parts = [each for _, table in elements for each in (table, *(column for _, column in members(table, "columns")))]
    test_lists = [part.get(key) for part in parts for key in (*TESTS, "constraints")]
    tests = sum(len(each) for each in test_lists if isinstance(each, list))
    for word, count, most in (("models", len(elements), MAX_MODELS), ("tests", tests, MAX_TESTS)):
        if count > most:
            faults.add("dbt-size", "", f"has more than {most} {word}", "split the file")
            faults.settle()


def _of_sources(data: Mapping[str, Any]) -> Iterator[Element]:
    for path, source in members(data, "sources"):
        yield from members(source, "tables", path)


def _document(element: Element, faults: Faults) -> dict[str, Any]:
    path, content = element
    name = text(content, "name")
    if not name:
        faults.add("dbt-name", path, "has no name")
    names = [text(each, "name") or "" for _, each in members(content, "columns")]
    columns = [_column(each, names, faults) for each in members(content, "columns", path)]
    table = {"name": name or "", "physicalName": _physical(content, name or ""), **_about(content)}
    keys = _keys(content)
    for position, each in enumerate((each for each in columns if each["name"] in keys), 1):
        each |= {"primaryKey": True, "primaryKeyPosition": position}
    checks = [*_tests(element, None, names, faults)]
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": name or "", "name": name or "", "version": "1.0.0"}
    quality = {"quality": checks} if checks else {}
    properties = {"properties": columns} if columns else {}
    return {**head, "status": "draft", "schema": [{**table, **quality, **properties}]}


def _physical(content: Mapping[str, Any], name: str) -> str:
    config = content.get("config")
    alias = text(config, "alias") if isinstance(config, dict) else None
    return text(content, "identifier") or alias or name


def _about(content: Mapping[str, Any]) -> dict[str, Any]:
    described = text(content, "description")
    return {"description": described.strip()} if described and described.strip() else {}


def _keys(content: Mapping[str, Any]) -> list[str]:
    """Return the primary key columns from the constraints of the model or of its columns."""
    own = [each.get("columns") for _, each in members(content, "constraints") if each.get("type") == "primary_key"]
    key_columns = [name for names in own if isinstance(names, list) for name in names if isinstance(name, str)]
    columns = ((text(each, "name") or "", each) for _, each in members(content, "columns"))
    return key_columns or [name for name, each in columns if _constrained(each, "primary_key")]


def _constrained(content: Mapping[str, Any], kind: str) -> bool:
    return any(each.get("type") == kind for _, each in members(content, "constraints"))


def _column(element: Element, columns: Collection[str], faults: Faults) -> dict[str, Any]:
    path, content = element
    name = text(content, "name")
    if not name:
        faults.add("dbt-name", path, "has no name")
    entry = {"name": name or "", **_typed(text(content, "data_type")), **_about(content)}
    if _constrained(content, "not_null"):
        entry["required"] = True
    if _constrained(content, "unique"):
        entry["unique"] = True
    tests = list(_tests(element, name, columns, faults))
    for each in (each for each in tests if each.keys() <= WORDS):
        entry |= each
    checks = [each for each in tests if not each.keys() <= WORDS]
    return {**entry, **({"quality": checks} if checks else {})}


def _typed(kind: str | None) -> dict[str, Any]:
    """Return the entries of a data type; a type that Spark does not have stays physical only."""
    if not kind:
        return {}
    faults = Faults()
    spark_type = known_type(kind, "", faults)
    return (
        {"physicalType": kind}
        if faults.items
        else {"logicalType": LOGICAL[_base(spark_type)], "physicalType": spark_type}
    )


def _base(kind: str) -> str:
    return kind.partition("(")[0]


def _tests(element: Element, column: str | None, columns: Collection[str], faults: Faults) -> Iterator[dict[str, Any]]:
    """Yield the tests and constraints as column attributes or quality entries."""
    path, content = element
    for key in TESTS:
        tests = content.get(key)
        for index, test in enumerate(tests if isinstance(tests, list) else ()):
            if is_test(test):
                yield entry(test, column, columns)
            else:
                location = yaml_syntax.join(yaml_syntax.join(path, key), index)
                faults.add("dbt-test", location, "is not a data test", "write its name, or its name with its arguments")
    yield from (
        quality_entry for _, each in members(content, "constraints") if (quality_entry := constraint(each, columns))
    )
