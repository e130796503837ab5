"""Classification: the columns and fields of a contract whose values are sensitive."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treaty.contracts.document.model import Contract, DataObject, Property
from treaty.contracts.document.writer import write
from treaty.contracts.schema import Column, Schema, struct_fields

# Any other classification makes values sensitive.
OPEN = frozenset({"public", "open", "internal", "general", "unclassified", "none"})
SENSITIVE = frozenset({
    "confidential", "gdpr", "hipaa", "masked", "pci", "personal", "phi", "pii", "private", "restricted", "secret",
    "sensitive",
})  # fmt: skip
Names = tuple[str, ...]
# The ODCS keys that classify.
WORDS = ("classification", "tags", "encryptedName")
# The head of a document that contains only classifications.
ALONE = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "classified", "version": "1.0.0", "status": "active"}


def classified_schema(of: DataObject, schema: Schema) -> Schema:
    """Return the schema with the columns and fields that a contract about the table classifies.

    The contract is that of the object, or another one about the same table. The result is equal to the schema passed
    in."""
    sources = [each for each in (of, *of.classifying_objects) if classifies(each)]
    if not sources:
        return schema
    return replace(schema, classified=frozenset(path for each in sources for path in _classified(each, schema)))


def classifies(of: DataObject) -> bool:
    """Return whether the contract classifies anything in the table."""
    return _is_tagged(of.tags) or any(_is_sensitive(each) for top in of.properties for each in (top, *_below(top)))


def _classified(of: DataObject, schema: Schema) -> Iterator[Names]:
    # With many columns, a dictionary avoids a search for each of them.
    by_name = {each.name.casefold(): each for each in reversed(of.properties)}
    pairs = ((column, by_name.get(column.name.casefold())) for column in schema)
    narrowed = ((column, replace(of, properties=(declared,) if declared else ())) for column, declared in pairs)
    return (path for column, one in narrowed for path in _paths(column, ()) if _says(one, path))


def is_classified(of: DataObject, names: Names) -> bool:
    """Return whether a contract about the table classifies the column or field at this path.

    It is classified if it, one of its parents or anything within it is classified as other than OPEN, has a sensitive
    tag, or is replaced by an encrypted element; also if the table has such a tag and nothing on the path is declared
    open. Names are compared without case, as Spark does."""
    return any(_says(each, names) for each in (of, *of.classifying_objects))


def _says(of: DataObject, names: Names) -> bool:
    along = list(_along(of.properties, names))
    inside = [*along, *_below(along[-1])] if along and len(along) == len(names) else along
    open_table = not _is_tagged(of.tags) or any(_is_open(each) for each in along)
    return not open_table or any(_is_sensitive(each) for each in inside)


def is_masked(of: DataObject, names: Names) -> bool:
    """Return whether the values of the column or field at this path are masked.

    They are masked if the contract classifies the path, or if it declares columns but not this one, because the content
    of an undeclared column is unknown."""
    if is_classified(of, names) or not of.properties:
        return is_classified(of, names)
    along = list(_along(of.properties, names))
    return not along or _is_lost(along, names)


def inherit(element: dict[str, Any], before: Mapping[str, Any]) -> None:
    """Copy the classifications of an earlier table or column entry, matching members by name."""
    element.update({word: before[word] for word in WORDS if before.get(word)})
    earlier = {str(each.get("name", "")).casefold(): each for each in before.get("properties") or ()}
    for each in element.get("properties") or ():
        inherit(each, earlier.get(str(each.get("name", "")).casefold(), {}))


def with_classifications(of: Contract, name: str, data_objects: tuple[DataObject, ...]) -> Contract:
    """Return the contract with classifications of other contracts attached to the object with this name."""
    objects = tuple(
        replace(each, classifying_objects=data_objects) if each.name == name else each for each in of.objects
    )
    return replace(of, objects=objects)


def classification_document(of: DataObject) -> bytes:
    """Return a document with only the classifications of the object.

    It contains no names of the object or its contract and no checks. Its only object has the document's id as its
    name."""
    table = {"name": ALONE["id"], "logicalType": "object", **_words(of), "properties": list(_entries(of.properties))}
    return write({**ALONE, "schema": [table]})


def _entries(properties: Sequence[Property]) -> Iterator[dict[str, Any]]:
    """Yield the entries of classified properties, including nested ones; unclassified ones are left out."""
    for each in properties:
        if entry := _entry(each):
            yield {"name": each.name, **entry}


def _entry(of: Property) -> dict[str, Any]:
    items = _entry(of.items) if of.items else {}
    inside = {"properties": list(_entries(of.properties)), "items": items}
    labels = {"classification": of.classification, "encryptedName": of.name if of.encrypted else None}
    return {word: value for word, value in {**labels, **_words(of), **inside}.items() if value}


def _words(of: DataObject | Property) -> dict[str, Any]:
    tags = [each for each in of.tags if _is_tagged([each])]
    return {"tags": tags} if tags else {}


def _paths(column: Column, above: Names) -> Iterator[Names]:
    """Yield the path of the column and of each field within it."""
    here = (*above, column.name)
    yield here
    for each in struct_fields(column.type):
        yield from _paths(each, here)


def _along(properties: Sequence[Property], names: Names) -> Iterator[Property]:
    """Yield the declared properties on the path, from the column down to the field."""
    for name in names:
        declared = next((each for each in properties if each.name.casefold() == name.casefold()), None)
        if declared is None:
            return
        yield declared
        properties = declared.properties


def _below(of: Property) -> Iterator[Property]:
    for each in (*of.properties, *([of.items] if of.items else [])):
        yield each
        yield from _below(each)


def _is_lost(along: Sequence[Property], names: Names) -> bool:
    """Return whether the last declared property lists fields without the next one on the path."""
    return len(along) < len(names) and bool(along[-1].properties)


def _is_sensitive(of: Property) -> bool:
    return of.encrypted or _is_tagged(of.tags) or bool(of.classification and not _is_open(of))


def _is_open(of: Property) -> bool:
    return (of.classification or "").strip().casefold() in OPEN


def _is_tagged(tags: Sequence[str]) -> bool:
    return any(SENSITIVE & set(re.findall(r"[a-z]+", each.casefold())) for each in tags)
