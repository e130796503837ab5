"""Read quality entries as checks: the standard's library and sql entries, and Treaty's custom entries."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from treaty.contracts.assertions import ANOMALIES, OPERATORS, PAIRED, Assertion, DetectorLimit, ReferenceLimit
from treaty.contracts.document.model import SCOPES, CheckKind, ContractCheck, Severity
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Faults, suggest_nearest
from treaty.contracts.predicates.parser import PredicateError, parse

# The standard leaves the words of severities open; these are read, in any case.
SEVERITIES: Mapping[str, Severity] = {
    **dict.fromkeys(("warning", "warn", "info", "low", "minor", "trivial"), "warning"),
    **dict.fromkeys(("error", "critical", "high", "major", "medium", "blocker", "fatal"), "error"),
}
# Other engines and people have severities of their own.
EVALUATED = frozenset({"treaty", "library", "sql"})
EQUALITY = frozenset({"mustBe", "mustNotBe"})
OWN_WORDS = frozenset({"analyzer", "where", "scope"})


@dataclass(frozen=True, kw_only=True)
class QualityRule:
    """A quality entry with its location.

    `column`: the property that defines the entry; None for an entry of the object itself. `columns`: names that a
    predicate may use; None allows any."""

    content: Mapping[str, Any]
    path: str
    owner: str
    faults: Faults
    column: str | None = None
    columns: Collection[str] | None = None

    def text(self, key: str) -> str | None:
        """Return the text under the key; None if it is missing, empty or not text."""
        value = self.content.get(key)
        return value if isinstance(value, str) and value else None

    def add(self, code: str, key: str, message: str, remedy: str = "") -> None:
        """Add a fault at a key within the entry ('' for the entry itself)."""
        self.faults.add(code, join(self.path, key) if key else self.path, message, remedy)


def read_check(entry: QualityRule) -> ContractCheck:
    """Return the check that the entry defines.

    Errors in the entry are added as faults; the check must not be used then."""
    kind = _kind(entry)
    meaning = _READERS[kind](entry)
    identity = entry.text("id") or _derived_id(entry, meaning.analyzer)
    return replace(
        meaning,
        id=identity,
        name=entry.text("name") or identity,
        kind=kind,
        severity=_severity(entry),
        dimension=entry.text("dimension"),
        path=entry.path,
        line=entry.faults.line(entry.path),
    )


def _kind(entry: QualityRule) -> CheckKind:
    match entry.text("type"):
        case "custom":
            return "treaty" if entry.text("engine") == "treaty" else "custom"
        case "sql":
            return "sql"
        case "text":
            return "text"
        case _:
            return "library"


def _severity(entry: QualityRule) -> Severity:
    """Return the severity; an unknown word is a fault of a check that Treaty evaluates."""
    word = (entry.text("severity") or "error").lower()
    if word not in SEVERITIES and _kind(entry) in EVALUATED:
        remedies = (suggest_nearest(word, SEVERITIES), f"allowed: {', '.join(SEVERITIES)}")
        entry.add("check-severity", "severity", "is not a severity", " ".join(filter(None, remedies)))
    return SEVERITIES.get(word, "error")


def _derived_id(entry: QualityRule, analyzer: str) -> str:
    """Derive an id from names, not from positions, so that it survives reordering."""
    names = [entry.owner, entry.column or "", analyzer]
    return "-".join(filter(None, (re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-") for name in names))) or "check"


def _meaning(entry: QualityRule, analyzer: str, arguments: Mapping[str, Any], **words: Any) -> ContractCheck:
    return ContractCheck(
        id="",
        name="",
        kind="treaty",
        severity="error",
        analyzer=analyzer,
        arguments=arguments,
        column=entry.column,
        **words,
    )


def _read_treaty(entry: QualityRule) -> ContractCheck:
    words = entry.content.get("implementation")
    if not isinstance(words, dict):
        message = "must be a mapping in a check of engine 'treaty'"
        entry.add("check-implementation", "implementation", message, "add 'analyzer:' and its arguments under it")
        return _meaning(entry, "", {})
    inner = replace(entry, content=words, path=join(entry.path, "implementation"))
    return _meaning(
        entry,
        _analyzer(inner),
        {key: value for key, value in words.items() if key not in OWN_WORDS and key not in OPERATORS},
        where=_where_clause(inner),
        scope=_scope(inner),
        assertion=_assertion(inner, strict=True),
    )


def _read_library(entry: QualityRule) -> ContractCheck:
    analyzer = entry.text("metric") or entry.text("rule") or ""
    if not analyzer:
        entry.add("check-metric", "", "has neither a metric nor a type", "add 'metric:' or 'type: custom'")
    declared = entry.content.get("arguments")
    arguments = dict(declared) if isinstance(declared, dict) else {}
    if "unit" in entry.content:
        arguments["unit"] = entry.content["unit"]
    if "properties" in arguments:
        arguments["columns"] = arguments.pop("properties")
    return _meaning(entry, analyzer, arguments, assertion=_assertion(entry))


def _read_sql(entry: QualityRule) -> ContractCheck:
    return _meaning(entry, "sql", {"query": entry.text("query") or ""}, assertion=_assertion(entry))


def _read_text(entry: QualityRule) -> ContractCheck:
    return _meaning(entry, "text", {})


def _read_custom(entry: QualityRule) -> ContractCheck:
    return _meaning(entry, entry.text("engine") or "", {"implementation": entry.content.get("implementation")})


_READERS: dict[CheckKind, Callable[[QualityRule], ContractCheck]] = {
    "treaty": _read_treaty,
    "library": _read_library,
    "sql": _read_sql,
    "text": _read_text,
    "custom": _read_custom,
}


def _analyzer(entry: QualityRule) -> str:
    if not entry.text("analyzer"):
        entry.add(
            "check-analyzer", "", "is missing an analyzer", "add an analyzer, for example 'analyzer: completeness'"
        )
    return entry.text("analyzer") or ""


def _scope(entry: QualityRule) -> str | None:
    """Return the scope as written; view names can be validated only once the whole document is read."""
    scope = entry.content.get("scope")
    if scope is None or isinstance(scope, str):
        return scope
    entry.add("check-scope", "scope", "is not text", f"use one of {', '.join(SCOPES)}, or the name of a view")
    return None


def _where_clause(entry: QualityRule) -> str | None:
    predicate = entry.content.get("where")
    if predicate is None:
        return None
    if not isinstance(predicate, str):
        entry.add("check-where", "where", "is not text", "write a predicate: \"country = 'DE'\"")
        return None
    try:
        parse(predicate, entry.columns)
    except PredicateError as error:
        for fault in error.faults:
            entry.add(fault.code, "where", fault.message, fault.remedy)
    return predicate


def _assertion(entry: QualityRule, *, strict: bool = False) -> Assertion | None:
    """Return the only operator of the entry with its limit; None if there is none.

    `strict`: validate operators that the standard's own schema does not cover, as within an implementation."""
    words = [word for word in OPERATORS if word in entry.content]
    if len(words) > 1 and strict:
        entry.add("check-operator", "", f"has {' and '.join(words)}", "use one operator")
    if len(words) != 1:
        return None
    if words[0] == ANOMALIES:
        return _detecting(entry, entry.content[ANOMALIES], strict=strict)
    limit = _referring(entry, words[0], entry.content[words[0]]) if strict else entry.content[words[0]]
    return _paired(entry, words[0], limit) if words[0] in PAIRED else _single(entry, words[0], limit, strict=strict)


def _detecting(entry: QualityRule, definition: Any, *, strict: bool) -> Assertion | None:
    """Return the assertion of no anomalies with its detector and the detector's arguments."""
    words = {"detector": definition} if isinstance(definition, str) else definition
    if not strict or not isinstance(words, dict) or not isinstance(words.get("detector", "auto"), str):
        message = "is missing a detector" if strict else "is not an operator of the standard's own checks"
        entry.add("check-limit", ANOMALIES, message, "use {detector: auto} in a check of engine 'treaty'")
        return None
    arguments = {key: value for key, value in words.items() if key != "detector"}
    return Assertion(ANOMALIES, DetectorLimit(words.get("detector", "auto"), arguments))


def _referring(entry: QualityRule, word: str, limit: Any) -> Any:
    """Return the limit with each mapping in it replaced by the metric of another dataset."""
    if isinstance(limit, list):
        return [_referring(entry, word, each) for each in limit]
    return _referred(replace(entry, content=limit, path=join(entry.path, word))) if isinstance(limit, dict) else limit


def _referred(entry: QualityRule) -> ReferenceLimit:
    for key in ("dataset", "analyzer"):
        if not entry.text(key):
            example = "write {dataset: titles, analyzer: size}"
            entry.add("check-limit", key, f"is missing '{key}', which a limit from another dataset requires", example)
    _where_clause(replace(entry, columns=None))
    words = {key: value for key, value in entry.content.items() if key not in ("dataset", "analyzer")}
    return ReferenceLimit(entry.text("dataset") or "", entry.text("analyzer") or "", words)


def _single(entry: QualityRule, word: str, limit: Any, *, strict: bool) -> Assertion | None:
    if strict and not _is_limit(word, limit):
        entry.add("check-limit", word, "is not a valid limit", "use a number or text")
        return None
    return Assertion(word, limit)


def _paired(entry: QualityRule, word: str, limits: Any) -> Assertion | None:
    if not isinstance(limits, list) or len(limits) != 2 or not all(_is_limit(word, limit) for limit in limits):
        entry.add("check-limit", word, "is not a pair of limits", "write [minimum, maximum]")
        return None
    low, high = limits
    if isinstance(low, ReferenceLimit) or isinstance(high, ReferenceLimit):
        return Assertion(word, (low, high))
    if isinstance(low, str) != isinstance(high, str):
        entry.add("check-limit", word, "has limits of different types", "use two numbers or two texts")
        return None
    if low > high:
        entry.add("check-limit-order", word, "has its limits in the wrong order", "write the smaller one first")
        return None
    return Assertion(word, (low, high))


def _is_limit(word: str, limit: Any) -> bool:
    if isinstance(limit, bool):
        return word in EQUALITY
    return isinstance(limit, int | float | str | ReferenceLimit)
