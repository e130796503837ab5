"""Read a contract: parse the bytes of an ODCS document, or report all of its faults."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import chain, count
from typing import Any

from pydantic import ValidationError

from treaty.contracts.assertions import OPERATORS
from treaty.contracts.document import identifiers, odcs, yaml_syntax
from treaty.contracts.document.columns import Element, columns, members, text
from treaty.contracts.document.computed_partitions import inspect_partitions
from treaty.contracts.document.deadlines import inspect_deadlines
from treaty.contracts.document.logical_type_options import read_enum, read_options
from treaty.contracts.document.model import Contract, ContractCheck, DataObject, Property, Terms
from treaty.contracts.document.partition_terms import inspect_arrivals, inspect_views
from treaty.contracts.document.quality_rules import QualityRule, read_check
from treaty.contracts.document.schema_validation import inspect_schema
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Faults, suggest_nearest
from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex

# A parsed contract takes about twenty times the memory of its text, so few large ones are cached.
LARGE_BYTES = 64 * 1024
TERMS = tuple(Terms.model_fields)
INSPECTIONS = (
    odcs.inspect_version,
    odcs.inspect_keys,
    inspect_schema,
    identifiers.inspect_ids,
    identifiers.inspect_names,
)


def read(source: bytes) -> Contract:
    """Return the contract in `source`. Raises ContractError with all its faults.

    Text that is not strict YAML raises at once; otherwise all faults are collected. Recently read contracts are cached,
    as contracts are immutable."""
    cached_read = _small if len(source) <= LARGE_BYTES else _large
    return cached_read(source, tuple(OPERATORS))


def _read(source: bytes) -> Contract:
    parsed = yaml_syntax.parse(source)
    faults = Faults(parsed.lines)
    for inspection in INSPECTIONS:
        inspection(parsed.data, faults)
        if faults.full:
            faults.settle()
    objects = tuple(_object(each, faults) for each in members(parsed.data, "schema"))
    terms = _terms(parsed.data, objects, faults)
    faults.settle()
    identity: str = parsed.data["id"]
    return Contract(
        source=source,
        document=parsed.data,
        id=identity,
        name=parsed.data.get("name") or identity,
        version=parsed.data["version"],
        status=parsed.data.get("status") or "draft",
        objects=tuple(_with_terms(each, terms) for each in objects),
        terms=terms,
        lines=parsed.lines,
    )


def _as_read(source: bytes, _: tuple[str, ...]) -> Contract:
    """Return the contract; the second argument is part of the cache key, because plug-ins add operators."""
    return _read(source)


# A change of a contract reads it several times, and so does a page about it.
_small, _large = lru_cache(maxsize=64)(_as_read), lru_cache(maxsize=4)(_as_read)


def _object(element: Element, faults: Faults) -> DataObject:
    path, content = element
    properties = tuple(_property(each, faults) for each in members(content, "properties", path))
    name = text(content, "name") or ""
    return DataObject(
        name=name,
        physical_name=text(content, "physicalName"),
        properties=properties,
        checks=_checks(element, name, faults),
        tags=_tags(content),
        path=path,
        line=faults.line(path),
    )


def _property(element: Element, faults: Faults) -> Property:
    path, content = element
    items = content.get("items")
    return Property(
        name=text(content, "name") or "",
        logical_type=text(content, "logicalType"),
        physical_type=text(content, "physicalType"),
        required=content.get("required") is True,
        unique=content.get("unique") is True,
        primary_key=content.get("primaryKey") is True,
        primary_key_position=_position(content, "primaryKeyPosition"),
        partitioned=content.get("partitioned") is True,
        partition_key_position=_position(content, "partitionKeyPosition"),
        classification=text(content, "classification"),
        tags=_tags(content),
        encrypted=bool(text(content, "encryptedName")),
        options=read_options(element, faults),
        enum=tuple(read_enum(element)),
        properties=tuple(_property(each, faults) for each in members(content, "properties", path)),
        items=_property((join(path, "items"), items), faults) if isinstance(items, dict) else None,
        path=path,
        line=faults.line(path),
    )


def _tags(content: Mapping[str, Any]) -> tuple[str, ...]:
    tags = content.get("tags")
    return tuple(each for each in tags if isinstance(each, str)) if isinstance(tags, list) else ()


def _position(content: Mapping[str, Any], key: str) -> int | None:
    position = content.get(key)
    # The standard's default, -1, means no position.
    return position if isinstance(position, int) and position >= 0 else None


def _checks(element: Element, owner: str, faults: Faults) -> tuple[ContractCheck, ...]:
    places = dict(columns(element))
    column_names = places.keys() or None
    entries = [
        QualityRule(content=content, path=path, owner=owner, faults=faults, column=column, columns=column_names)
        for column, holder in [(None, element), *places.items()]
        for path, content in members(holder[1], "quality", holder[0])
    ]
    return tuple(_distinct(entries, faults))


def _distinct(entries: list[QualityRule], faults: Faults) -> Iterator[ContractCheck]:
    """Yield the entries as checks with unique ids, because results refer to checks by id."""
    paths_by_id: dict[str, str] = {entry.text("id") or "": entry.path for entry in reversed(entries)}
    for entry in entries:
        check = read_check(entry)
        if not entry.text("id"):
            yield replace(check, id=_free(check.id, paths_by_id), name=check.name)
            continue
        first = paths_by_id[check.id]
        if first != entry.path and identifiers.list_of(first) != identifiers.list_of(entry.path):
            remedy = "use a unique id for each check of a table"
            faults.add("id-duplicate", join(entry.path, "id"), f"is also the id of {first}", remedy)
        yield check


def _free(identity: str, used_ids: dict[str, str]) -> str:
    """Return the id, numbered if it is in use, and reserve it."""
    numbered = (f"{identity}-{number}" for number in count(2))
    free = next(each for each in chain([identity], numbered) if each not in used_ids)
    used_ids[free] = ""
    return free


def _terms(document: Mapping[str, Any], objects: tuple[DataObject, ...], faults: Faults) -> Terms:
    own = [each for each in members(document, "customProperties") if each[1].get("property") == "treaty"]
    for path, _ in own[1:]:
        faults.add("terms-twice", path, "is a second entry for Treaty's terms", "keep one of them")
    if not own:
        return Terms()
    path = join(own[0][0], "value")
    try:
        terms = Terms.model_validate(own[0][1].get("value"))
    except ValidationError as error:
        for each in error.errors(include_url=False, include_context=False, include_input=False):
            _keep_term(each["type"], each["msg"], reduce(join, each["loc"], path), faults)
        return Terms()
    _inspect_aliases(terms, objects, path, faults)
    inspect_views(terms.views, join(path, "views"), faults)
    inspect_partitions(terms.partitions, objects, join(path, "partitions"), faults)
    partitioned = tuple(_with_terms(each, terms) for each in objects)
    inspect_arrivals(terms.arrivals, partitioned, join(path, "arrivals"), faults)
    inspect_deadlines(terms.deadlines, objects, join(path, "deadlines"), faults)
    return terms


def _with_terms(described: DataObject, terms: Terms) -> DataObject:
    """Return the object with the contract terms that apply to it."""
    return replace(
        described,
        views=tuple(terms.views),
        arrivals=described.name in terms.arrivals,
        anomalies=terms.anomalies,
        computed=tuple(f"{each.name}=({each.by})" for each in terms.partitions if each.object == described.name),
    )


def _keep_term(kind: str, message: str, path: str, faults: Faults) -> None:
    word = path.rpartition(".")[2]
    if kind == "extra_forbidden":
        remedy = suggest_nearest(word, TERMS) or f"Treaty's terms are {', '.join(TERMS)}"
        faults.add("terms-unknown", path, "is not one of Treaty's terms", remedy)
    elif kind == "missing":
        faults.add("terms-missing", path.removesuffix(f".{word}"), f"is missing '{word}'", f"add '{word}'")
    else:
        faults.add("terms-form", path, message[:1].lower() + message[1:])


def _inspect_aliases(terms: Terms, objects: tuple[DataObject, ...], path: str, faults: Faults) -> None:
    object_names = [each.name for each in objects]
    used_names: set[tuple[str, str]] = set()
    for index, alias in enumerate(terms.aliases):
        location = join(join(path, "aliases"), index)
        if alias.object not in object_names:
            message = "refers to an object that the contract does not define"
            faults.add("terms-object", join(location, "object"), message, suggest_nearest(alias.object, object_names))
        if (alias.namespace, alias.name) in used_names:
            faults.add("terms-alias", location, "is a duplicate alias", "a dataset can belong to only one object")
        if alias.regex:
            _inspect_pattern(alias.name, join(location, "name"), faults)
        used_names.add((alias.namespace, alias.name))


def _inspect_pattern(pattern: str, where: str, faults: Faults) -> None:
    try:
        inspect_regex(pattern)
    except UnsafeRegex as error:
        faults.add("terms-alias", where, str(error), "simplify it, or use * without `regex`")
