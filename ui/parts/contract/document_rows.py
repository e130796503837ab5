"""Convert a contract document to table rows and to the limits of a check; validates nothing."""

from collections.abc import Iterator, Mapping
from typing import Any

from treaty.registry.client.contracts import content
from treaty.ui import texts as ui_texts
from treaty.ui.texts import contract as texts
from treaty.ui.widgets.charts import ChartBand, number

LOWER = ("mustBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo")
UPPER = ("mustBe", "mustBeLessThan", "mustBeLessOrEqualTo")
STRICT = ("mustBeGreaterThan", "mustBeLessThan")
# Checks of column keywords have ids with these endings, and require a share of 1.
WHOLE = ("-required", "-unique", "primary-key")
Row = dict[str, str]
Document = Mapping[str, Any]


def parse_document(text: str) -> Mapping[str, Any]:
    """Parse the document; empty if it is invalid, then the page shows only its text."""
    return content(text.encode())


def columns(document: Mapping[str, Any]) -> list[Row]:
    """Return one row per column; nested columns have dotted paths."""
    return [
        {
            ui_texts.OBJECT: _text(each.get("name")),
            ui_texts.COLUMN: path,
            texts.TYPE: _text(column.get("physicalType") or column.get("logicalType")),
            texts.COLUMN_PROMISES: ", ".join(_promises(column)),
            texts.DESCRIPTION: _text(column.get("description")),
        }
        for each in _parts(document, "schema")
        for path, column in _columns(each)
    ]


def service_levels(document: Mapping[str, Any]) -> list[Row]:
    """Return one row per service level."""
    return [
        {
            texts.LEVEL: _text(each.get("property")),
            ui_texts.VALUE: " ".join(_text(each[word]) for word in ("value", "unit") if each.get(word) is not None),
            texts.OF: _text(each.get("element")),
            texts.DESCRIPTION: _text(each.get("description")),
        }
        for each in _parts(document, "slaProperties")
    ]


def checks(document: Mapping[str, Any]) -> list[Row]:
    """Return one row per check in a quality section; column keywords are shown with the columns."""
    return [
        {
            ui_texts.OBJECT: _text(owner.get("name")),
            ui_texts.COLUMN: path,
            ui_texts.CHECK: _text(entry.get("name") or entry.get("id")),
            ui_texts.PROMISE: promise(entry),
            ui_texts.SEVERITY: texts.WARNING if _text(entry.get("severity")) in WEAK else texts.ERROR,
            texts.SCOPE: _text(_terms(entry).get("scope")),
        }
        for owner, path, entry in _entries(document)
    ]


WEAK = ("info", "warning", "warn", "low", "minor", "trivial")


def promise(entry: Mapping[str, Any]) -> str:
    """Describe the condition of the check; its description if it has no computable condition."""
    terms = _terms(entry)
    subject = _text(terms.get("analyzer") or terms.get("metric") or terms.get("rule")).replace("_", " ")
    conditions = [texts.CONDITIONS[word].format(*_limits(terms[word])) for word in texts.CONDITIONS if word in terms]
    detail = _text(terms.get("predicate") or entry.get("query"))
    return " ".join(part for part in (subject, *conditions, f"({detail})" if detail else "") if part) or _text(
        entry.get("description")
    )


def band(document: Mapping[str, Any], check_id: str) -> ChartBand:
    """Return the limits of the check with that id; open if it has none or they are not numbers."""
    terms = next((_terms(entry) for _, _, entry in _entries(document) if entry.get("id") == check_id), None)
    if terms is None:
        return ChartBand(1, 1) if check_id.endswith(WHOLE) else ChartBand()
    if "mustBeBetween" in terms:
        lower, upper = (*_limits(terms["mustBeBetween"]), None, None)[:2]
        return ChartBand(number(lower), number(upper))
    return ChartBand(_first(terms, LOWER), _first(terms, UPPER), strict=any(name in terms for name in STRICT))


def _first(terms: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
    return next((number(terms[name]) for name in names if name in terms), None)


def _limits(limit: Any) -> list[Any]:
    return list(limit) if isinstance(limit, list) and len(limit) == 2 else [limit, limit]


def _terms(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = entry.get("implementation")
    return inner if isinstance(inner, dict) else entry


def _entries(document: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str, Mapping[str, Any]]]:
    for owner in _parts(document, "schema"):
        yield from ((owner, "", entry) for entry in _parts(owner, "quality"))
        for path, column in _columns(owner):
            yield from ((owner, path, entry) for entry in _parts(column, "quality"))


def _columns(owner: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for column in _parts(owner, "properties"):
        path = prefix + _text(column.get("name"))
        yield path, column
        yield from _columns(column, f"{path}.")


def _promises(column: Mapping[str, Any]) -> Iterator[str]:
    return (label for word, label in texts.PROMISES.items() if column.get(word) is True)


def _parts(of: Mapping[str, Any], word: str) -> list[Mapping[str, Any]]:
    children = of.get(word)
    return [each for each in children if isinstance(each, dict)] if isinstance(children, list) else []


def _text(value: Any) -> str:
    return "" if value is None else str(value)
