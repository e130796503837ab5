"""Reading a contract: the bytes of an ODCS document as a Contract, or every fault of it at once."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import chain, count
from typing import Any

from pydantic import ValidationError

from contracts import names, standard, syntax
from contracts.document import Check, Contract, DataObject, Property, Terms
from contracts.errors import Faults, nearest
from contracts.json_schema import inspect_schema
from contracts.quality import Entry, read_check
from contracts.quoting import quote
from contracts.syntax import join

Element = tuple[str, Mapping[str, Any]]
TERMS = tuple(Terms.model_fields)
INSPECTIONS = (
    standard.inspect_version,
    standard.inspect_keys,
    inspect_schema,
    names.inspect_ids,
    names.inspect_names,
)


def read(source: bytes) -> Contract:
    """The contract in `source`, which it keeps byte for byte. Raises ContractError with all its faults.

    Text that is not strict YAML ends the reading there; of every other document all that is wrong is said at once.
    """
    text = syntax.parse(source)
    faults = Faults(text.lines)
    for inspection in INSPECTIONS:
        inspection(text.data, faults)
    objects = tuple(_object(each, faults) for each in _members(text.data, "schema"))
    terms = _terms(text.data, objects, faults)
    faults.settle()
    identity: str = text.data["id"]
    return Contract(
        source=source,
        document=text.data,
        id=identity,
        name=text.data.get("name") or identity,
        version=text.data["version"],
        status=text.data.get("status") or "draft",
        objects=objects,
        terms=terms,
        lines=text.lines,
    )


def _members(element: Mapping[str, Any], key: str, path: str = "") -> Iterator[Element]:
    """The mappings of a list within an element; what is not one is left to the schema's faults."""
    found = element.get(key)
    for index, member in enumerate(found if isinstance(found, list) else ()):
        if isinstance(member, dict):
            yield join(join(path, key), index), member


def _object(element: Element, faults: Faults) -> DataObject:
    path, content = element
    properties = tuple(_property(each, faults) for each in _members(content, "properties", path))
    name = _text(content, "name") or ""
    return DataObject(
        name=name,
        physical_name=_text(content, "physicalName"),
        properties=properties,
        checks=_checks(element, name, faults),
        path=path,
        line=faults.line(path),
    )


def _property(element: Element, faults: Faults) -> Property:
    path, content = element
    items = content.get("items")
    return Property(
        name=_text(content, "name") or "",
        logical_type=_text(content, "logicalType"),
        physical_type=_text(content, "physicalType"),
        required=content.get("required") is True,
        unique=content.get("unique") is True,
        primary_key=content.get("primaryKey") is True,
        primary_key_position=_position(content, "primaryKeyPosition"),
        partitioned=content.get("partitioned") is True,
        partition_key_position=_position(content, "partitionKeyPosition"),
        classification=_text(content, "classification"),
        properties=tuple(_property(each, faults) for each in _members(content, "properties", path)),
        items=_property((join(path, "items"), items), faults) if isinstance(items, dict) else None,
        path=path,
        line=faults.line(path),
    )


def _text(content: Mapping[str, Any], key: str) -> str | None:
    found = content.get(key)
    return found if isinstance(found, str) else None


def _position(content: Mapping[str, Any], key: str) -> int | None:
    found = content.get(key)
    # The standard's default, -1, means that there is none.
    return found if isinstance(found, int) and found >= 0 else None


def _checks(element: Element, owner: str, faults: Faults) -> tuple[Check, ...]:
    columns = dict(_columns(element))
    known = columns.keys() or None
    entries = [
        Entry(content, path, owner, faults, column, known)
        for column, holder in [(None, element), *columns.items()]
        for path, content in _members(holder[1], "quality", holder[0])
    ]
    return tuple(_distinct(entries, faults))


def _columns(element: Element, parent: str = "") -> Iterator[tuple[str, Element]]:
    """Every property within an element by its column path: `a`, `a.b`; `tags[]` for the elements of an array."""
    path, content = element
    for member in _members(content, "properties", path):
        name = _text(member[1], "name") or ""
        column = f"{parent}.{_part(name)}" if parent else name
        yield column, member
        yield from _columns(member, column if parent else _part(name))
    items = content.get("items")
    if isinstance(items, dict):
        yield f"{parent}[]", (join(path, "items"), items)
        yield from _columns((join(path, "items"), items), parent)


def _part(name: str) -> str:
    return quote(name) if "." in name or "`" in name else name


def _distinct(entries: list[Entry], faults: Faults) -> Iterator[Check]:
    """The entries as checks with ids of their own: results are told apart by the id of their check."""
    taken: dict[str, str] = {entry.text("id") or "": entry.path for entry in reversed(entries)}
    for entry in entries:
        check = read_check(entry)
        if not entry.text("id"):
            yield replace(check, id=_free(check.id, taken), name=check.name)
            continue
        first = taken[check.id]
        if first != entry.path and names.list_of(first) != names.list_of(entry.path):
            remedy = "give each check of a table its own id"
            faults.add("id-duplicate", join(entry.path, "id"), f"is the id of {first} too", remedy)
        yield check


def _free(identity: str, taken: dict[str, str]) -> str:
    """The id, or the id with the first number that makes it new; it is taken from then on."""
    numbered = (f"{identity}-{number}" for number in count(2))
    found = next(each for each in chain([identity], numbered) if each not in taken)
    taken[found] = ""
    return found


def _terms(document: Mapping[str, Any], objects: tuple[DataObject, ...], faults: Faults) -> Terms:
    own = [each for each in _members(document, "customProperties") if each[1].get("property") == "treaty"]
    for path, _ in own[1:]:
        faults.add("terms-twice", path, "is a second entry of Treaty's terms", "keep one")
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
    return terms


def _keep_term(kind: str, message: str, path: str, faults: Faults) -> None:
    word = path.rpartition(".")[2]
    if kind == "extra_forbidden":
        remedy = nearest(word, TERMS) or f"Treaty's terms are {', '.join(TERMS)}"
        faults.add("terms-unknown", path, "is not one of Treaty's terms", remedy)
    elif kind == "missing":
        faults.add("terms-missing", path.removesuffix(f".{word}"), f"lacks '{word}'", f"add '{word}'")
    else:
        faults.add("terms-form", path, message[:1].lower() + message[1:])


def _inspect_aliases(terms: Terms, objects: tuple[DataObject, ...], path: str, faults: Faults) -> None:
    known = [each.name for each in objects]
    taken: set[tuple[str, str]] = set()
    for index, alias in enumerate(terms.aliases):
        where = join(join(path, "aliases"), index)
        if alias.object not in known:
            message = "names an object that the contract does not have"
            faults.add("terms-object", join(where, "object"), message, nearest(alias.object, known))
        if (alias.namespace, alias.name) in taken:
            faults.add("terms-alias", where, "is an alias that is given twice", "one dataset is one object")
        taken.add((alias.namespace, alias.name))
