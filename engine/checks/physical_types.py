"""Compare physical types of a contract with Spark's; a type that Spark lacks is not compared."""

import re

# Names of Spark's types in other systems; Spark reads char and varchar columns as strings.
SPARK = {
    **{name: name for name in ("binary", "boolean", "date", "double", "float", "int", "string", "timestamp_ntz")},
    **{name: name for name in ("bigint", "decimal", "smallint", "timestamp", "tinyint", "array", "map", "struct")},
    "integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint", "real": "float",
    "double precision": "double", "numeric": "decimal", "dec": "decimal", "bool": "boolean",
    "char": "string", "varchar": "string", "text": "string", "timestamp_ltz": "timestamp",
}  # fmt: skip
SIZED = frozenset({"decimal"})
_FORM = re.compile(r"(?P<word>[a-z_][a-z_ ]*?)\s*(?:\((?P<size>[\d\s,]*)\))?\s*(?:<(?P<inner>.*)>)?", re.DOTALL)


def differs(promised: str, spark_type: str) -> bool:
    """Return whether a column of Spark type `spark_type` violates the declared physical type.

    Only what the declaration states is compared: 'decimal' allows every precision. Of structs and maps only the type
    name counts, because their fields are declared by name. False if Spark has no type of that name."""
    declared, actual = _read(promised), _read(spark_type)
    if declared is None:
        return False
    if actual is None or declared[0] != actual[0]:
        return True
    word, size, inner = declared
    if word == "array" and inner and actual[2]:
        return differs(inner, actual[2])
    return word in SIZED and bool(size) and size != actual[1]


def spark_type(promised: str) -> str | None:
    """Return Spark's name of a declared physical type; None if it has inner types or Spark has none."""
    word, size, inner = _read(promised) or ("", "", "")
    sized = f"{word}({size})" if size and word in SIZED else word
    return None if inner else sized or None


def _read(text: str) -> tuple[str, str, str] | None:
    """Parse a type into Spark's name, its size and its inner types; None if Spark has no such type."""
    form = _FORM.fullmatch(text.strip().lower())
    word = SPARK.get(form.group("word")) if form else None
    if form is None or word is None:
        return None
    return word, re.sub(r"\s", "", form.group("size") or ""), form.group("inner") or ""
