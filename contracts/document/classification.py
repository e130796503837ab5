"""What a contract classifies: the columns and fields whose values are not for every eye."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treaty.contracts.document.model import Contract, DataObject, Property
from treaty.contracts.document.writer import write
from treaty.contracts.schema import Column, Schema, struct_fields

# Whatever else a classification says, its values are not for every eye.
OPEN = frozenset({"public", "open", "internal", "general", "unclassified", "none"})
SENSITIVE = frozenset({
    "confidential", "gdpr", "hipaa", "masked", "pci", "personal", "phi", "pii", "private", "restricted", "secret",
    "sensitive",
})  # fmt: skip
Names = tuple[str, ...]
# In which words of ODCS it stands.
WORDS = ("classification", "tags", "encryptedName")
# Of a document that says nothing else.
ALONE = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "classified", "version": "1.0.0", "status": "active"}


def classified_schema(of: DataObject, schema: Schema) -> Schema:
    """The schema that knows which of its columns and fields the contract classifies, or another one about the same
    table; equal to the one given."""
    saying = [each for each in (of, *of.classifying_objects) if classifies(each)]
    if not saying:
        return schema
    return replace(schema, classified=frozenset(path for each in saying for path in _classified(each, schema)))


def classifies(of: DataObject) -> bool:
    """Whether the contract classifies anything of the table."""
    return _is_tagged(of.tags) or any(_is_sensitive(each) for top in of.properties for each in (top, *_below(top)))


def _classified(of: DataObject, schema: Schema) -> Iterator[Names]:
    # Of many columns each is looked up once.
    named = {each.name.casefold(): each for each in reversed(of.properties)}
    found = ((column, named.get(column.name.casefold())) for column in schema)
    alone = ((column, replace(of, properties=(of_it,) if of_it else ())) for column, of_it in found)
    return (path for column, one in alone for path in _paths(column, ()) if _says(one, path))


def is_classified(of: DataObject, names: Names) -> bool:
    """Whether the contract, or another one about the same table, classifies the column or field at these names.

    One does where it, what it lies in or anything in it is classified as other than OPEN, bears a sensitive tag, or
    stands for an encrypted element; and where the table bears such a tag and nothing says otherwise. Case does not
    matter: to Spark it does not."""
    return any(_says(each, names) for each in (of, *of.classifying_objects))


def _says(of: DataObject, names: Names) -> bool:
    along = list(_along(of.properties, names))
    inside = [*along, *_below(along[-1])] if along and len(along) == len(names) else along
    open_table = not _is_tagged(of.tags) or any(_is_open(each) for each in along)
    return not open_table or any(_is_sensitive(each) for each in inside)


def is_masked(of: DataObject, names: Names) -> bool:
    """Whether the values of the column or field at these names are shown as a mask.

    They are where the contract classifies it, and where it declares columns, but not this one: nobody has said what it
    holds."""
    if is_classified(of, names) or not of.properties:
        return is_classified(of, names)
    along = list(_along(of.properties, names))
    return not along or _is_lost(along, names)


def inherit(element: dict[str, Any], before: Mapping[str, Any]) -> None:
    """Has a table's or column's entry, and those within it, say what an earlier one of their names classified."""
    element.update({word: before[word] for word in WORDS if before.get(word)})
    earlier = {str(each.get("name", "")).casefold(): each for each in before.get("properties") or ()}
    for each in element.get("properties") or ():
        inherit(each, earlier.get(str(each.get("name", "")).casefold(), {}))


def with_classifications(of: Contract, name: str, others: tuple[DataObject, ...]) -> Contract:
    """The contract whose object of that name knows what these others classify of its table."""
    objects = tuple(replace(each, classifying_objects=others) if each.name == name else each for each in of.objects)
    return replace(of, objects=objects)


def classification_document(of: DataObject) -> bytes:
    """A document that classifies what the object does and says nothing else: not what it or its contract is called, no
    check. Its one object bears the document's id as its name."""
    table = {"name": ALONE["id"], "logicalType": "object", **_words(of), "properties": list(_entries(of.properties))}
    return write({**ALONE, "schema": [table]})


def _entries(properties: Sequence[Property]) -> Iterator[dict[str, Any]]:
    """What is said of these and of what lies in them; those of which nothing is said are left out."""
    for each in properties:
        if said := _entry(each):
            yield {"name": each.name, **said}


def _entry(of: Property) -> dict[str, Any]:
    items = _entry(of.items) if of.items else {}
    inside = {"properties": list(_entries(of.properties)), "items": items}
    told = {"classification": of.classification, "encryptedName": of.name if of.encrypted else None}
    return {word: found for word, found in {**told, **_words(of), **inside}.items() if found}


def _words(of: DataObject | Property) -> dict[str, Any]:
    tags = [each for each in of.tags if _is_tagged([each])]
    return {"tags": tags} if tags else {}


def _paths(column: Column, above: Names) -> Iterator[Names]:
    """The names of the column and of every field within it."""
    here = (*above, column.name)
    yield here
    for each in struct_fields(column.type):
        yield from _paths(each, here)


def _along(properties: Sequence[Property], names: Names) -> Iterator[Property]:
    """The properties from the column down to the field, as far as they are declared."""
    for name in names:
        found = next((each for each in properties if each.name.casefold() == name.casefold()), None)
        if found is None:
            return
        yield found
        properties = found.properties


def _below(of: Property) -> Iterator[Property]:
    for each in (*of.properties, *([of.items] if of.items else [])):
        yield each
        yield from _below(each)


def _is_lost(along: Sequence[Property], names: Names) -> bool:
    """Whether the last declared property names fields, but not the one that is meant."""
    return len(along) < len(names) and bool(along[-1].properties)


def _is_sensitive(of: Property) -> bool:
    return of.encrypted or _is_tagged(of.tags) or bool(of.classification and not _is_open(of))


def _is_open(of: Property) -> bool:
    return (of.classification or "").strip().casefold() in OPEN


def _is_tagged(tags: Sequence[str]) -> bool:
    return any(SENSITIVE & set(re.findall(r"[a-z]+", each.casefold())) for each in tags)
