"""Physical types of a contract beside those of Spark: one that Spark has no word for says nothing here."""

import re

# What other systems call Spark's types; a char or varchar column is read as a string.
SPARK = {
    **{name: name for name in ("binary", "boolean", "date", "double", "float", "int", "string", "timestamp_ntz")},
    **{name: name for name in ("bigint", "decimal", "smallint", "timestamp", "tinyint", "array", "map", "struct")},
    "integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint", "real": "float",
    "double precision": "double", "numeric": "decimal", "dec": "decimal", "bool": "boolean",
    "char": "string", "varchar": "string", "text": "string", "timestamp_ltz": "timestamp",
}  # fmt: skip
SIZED = frozenset({"decimal"})
_FORM = re.compile(r"(?P<word>[a-z_][a-z_ ]*?)\s*(?:\((?P<size>[\d\s,]*)\))?\s*(?:<(?P<inner>.*)>)?", re.DOTALL)


def differs(promised: str, found: str) -> bool:
    """Whether a column of Spark type `found` breaks the promised physical type.

    A promise binds as far as it goes: 'decimal' allows every precision, and of structs and maps only the word counts,
    for their fields are promised by name. False where Spark has no type of that name."""
    wanted, actual = _read(promised), _read(found)
    if wanted is None:
        return False
    if actual is None or wanted[0] != actual[0]:
        return True
    word, size, inner = wanted
    if word == "array" and inner and actual[2]:
        return differs(inner, actual[2])
    return word in SIZED and bool(size) and size != actual[1]


def spark_type(promised: str) -> str | None:
    """Spark's own name of a promised physical type without parts; None where it has none, or has parts."""
    word, size, inner = _read(promised) or ("", "", "")
    sized = f"{word}({size})" if size and word in SIZED else word
    return None if inner else sized or None


def _read(text: str) -> tuple[str, str, str] | None:
    """Spark's word, the size without blanks and the text within angle brackets; None for a type Spark does not have."""
    form = _FORM.fullmatch(text.strip().lower())
    word = SPARK.get(form.group("word")) if form else None
    if form is None or word is None:
        return None
    return word, re.sub(r"\s", "", form.group("size") or ""), form.group("inner") or ""
