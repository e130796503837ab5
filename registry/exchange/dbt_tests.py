"""Convert a dbt data test to a contract entry or a check of engine `dbt`."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from treaty.contracts.document.columns import text
from treaty.contracts.document.yaml_syntax import resolve
from treaty.contracts.predicates.parser import PredicateError, parse

Words = Mapping[str, Any]
# Keys of a test's configuration, as opposed to its arguments.
ABOUT = frozenset({"name", "config", "severity", "where", "description", "arguments", "tags", "meta"})
UNDERSTOOD = frozenset({"severity", "where", "tags", "meta"})
_REFERENCE = re.compile(r"""\s*(?:ref|source)\(\s*(?:(['"])[^'"]*\1\s*,\s*)?(['"])([^'"]+)\2\s*\)\s*""")


def is_test(value: Any) -> bool:
    """Return whether the value is a dbt data test: a name, or a name with its arguments."""
    return isinstance(value, str) or (isinstance(value, dict) and len(value) == 1)


def entry(test: Any, column: str | None, columns: Collection[str]) -> dict[str, Any]:
    """Convert a test to `required`, `unique`, or a quality entry.

    A test that reads columns which the table does not declare stays a check of engine `dbt`, because a contract must
    declare the columns that it reads.

    `column`: None for a test of the table.
    `columns`: columns of the table."""
    name, body = (test, {}) if isinstance(test, str) else next(iter(test.items()))
    body = body if isinstance(body, dict) else {}
    config, explicit = _mapping(body, "config"), _mapping(body, "arguments")
    arguments = {**{key: each for key, each in body.items() if key not in ABOUT}, **explicit}
    words = READERS.get(name, _unknown)(arguments, column)
    setting = {**{key: body[key] for key in ("where", "severity") if key in body}, **config}
    if words is None or setting.keys() - UNDERSTOOD or not _fits(words, setting.get("where"), columns):
        return {"type": "custom", "engine": "dbt", "implementation": test}
    return _test_entry(words, setting.get("where"), mild=str(setting.get("severity", "error")).lower() == "warn")


def constraint(words: Words, columns: Collection[str]) -> dict[str, Any] | None:
    """Convert a constraint to a quality entry; None if it is a column attribute.

    A constraint that Treaty cannot evaluate becomes a text, so that it is not lost."""
    kind, expression = text(words, "type"), text(words, "expression")
    if kind in {"not_null", "unique", "primary_key"}:
        return None
    if kind == "check" and _is_valid_condition(expression, columns):
        return _check({"analyzer": "compliance", "predicate": expression})
    return {"type": "text", "description": " ".join(filter(None, ("dbt constraint:", kind, expression)))}


def _mapping(content: Words, key: str) -> dict[str, Any]:
    value = content.get(key)
    return value if isinstance(value, dict) else {}


def _fits(words: Words, where: Any, columns: Collection[str]) -> bool:
    read = frozenset(words.get("columns", ()))
    conditions = [each for each in (words.get("predicate"), where) if each is not None]
    return (not columns or read <= frozenset(columns)) and all(
        _is_valid_condition(each, columns) for each in conditions
    )


def _is_valid_condition(condition: Any, columns: Collection[str]) -> bool:
    """Return whether Treaty can parse the condition and it reads only these columns."""
    try:
        return isinstance(condition, str) and bool(parse(condition, columns or None))
    except PredicateError:
        return False


def _test_entry(words: Words, where: str | None, *, mild: bool) -> dict[str, Any]:
    attribute = next(iter(words))
    if attribute not in LONG:
        return _check(words, where, mild=mild)
    return _check(LONG[attribute], where, mild=mild) if where or mild else dict(words)


def _check(words: Words, where: str | None = None, *, mild: bool = False) -> dict[str, Any]:
    condition = {"where": where} if where else {}
    severity = "warning" if mild else "error"
    implementation = {**words, **condition, "mustBe": 1}
    return {"type": "custom", "engine": "treaty", "severity": severity, "implementation": implementation}


def _unknown(_: Words, __: str | None) -> Words | None:
    return None


def _word(name: str) -> Callable[[Words, str | None], Words | None]:
    return lambda arguments, column: {name: True} if column and not arguments else None


def _accepted(words: Words, column: str | None) -> Words | None:
    values = words.get("values")
    if not column or words.keys() - {"values", "quote"} or not isinstance(values, list) or not values:
        return None
    if words.get("quote") is False:
        values = [_number(each) for each in values]
    are_scalars = all(isinstance(each, str | int | float) for each in values)
    return {"analyzer": "contained_in", "values": values} if are_scalars else None


def _number(value: Any) -> Any:
    try:
        return resolve(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _related(words: Words, column: str | None) -> Words | None:
    to, field = text(words, "to"), text(words, "field")
    reference = _REFERENCE.fullmatch(to or "")
    if not column or not reference or not field or words.keys() - {"to", "field"}:
        return None
    return {"analyzer": "referential_integrity", "dataset": reference[3], "other_columns": [field]}


def _combined(words: Words, _: str | None) -> Words | None:
    columns = words.get("combination_of_columns")
    is_valid = isinstance(columns, list) and columns and all(isinstance(each, str) for each in columns)
    return {"analyzer": "uniqueness", "columns": columns} if is_valid else None


def _true(words: Words, column: str | None) -> Words | None:
    expression = text(words, "expression")
    return {"analyzer": "compliance", "predicate": expression} if expression and not column else None


LONG: Mapping[str, Words] = {"required": {"analyzer": "completeness"}, "unique": {"analyzer": "uniqueness"}}
READERS: Mapping[str, Callable[[Words, str | None], Words | None]] = {
    "not_null": _word("required"),
    "unique": _word("unique"),
    "accepted_values": _accepted,
    "relationships": _related,
    "dbt_utils.unique_combination_of_columns": _combined,
    "dbt_utils.expression_is_true": _true,
}
