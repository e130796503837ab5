"""Export a contract as a dbt `schema.yml` with equivalent data tests.

Checks that dbt does not support become comments. dbt renders templates and inserts values of tests into SQL
unescaped, so neither receives text of the document. Checks of engine `dbt` are exported as they were imported."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.document.columns import members, text
from treaty.contracts.document.model import SCOPES, DataObject
from treaty.contracts.document.writer import write as written
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.checks.executors import CheckAssignment, checks_with_runners
from treaty.engine.core.results import Runner
from treaty.registry.exchange.dbt_tests import is_test
from treaty.registry.exchange.export_source import ExportSource

Test = tuple[str, Mapping[str, Any]]
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TEMPLATE = re.compile(r"\{[{%#]")
_UNQUOTED = re.compile(r"['\\{}\n\r]")
WHOLE = frozenset({"unique"})
FOREIGN = "dbt"


@dataclass(frozen=True)
class DbtTest:
    """A data test on a column, or the reason dbt does not support the check."""

    column: str | None = None
    test: Mapping[str, Any] | str | None = None
    reason: str = ""


def write(subject: ExportSource) -> bytes:
    """Return the file. Raises ContractError if the document has faults."""
    comments: list[str] = []
    tables = [content for _, content in members(subject.contract.document, "schema")]
    models = [_model(*each, comments) for each in zip(tables, subject.contract.objects, strict=True)]
    head = [f"# {_line(subject.contract.id)} {_line(subject.contract.version)}, exported by Treaty", *comments]
    return "\n".join([*head, ""]).encode() + written({"version": 2, "models": models})


def _model(content: Mapping[str, Any], described: DataObject, comments: list[str]) -> dict[str, Any]:
    tests: dict[str, list[Any]] = {}
    for check in checks_with_runners(described):
        for converted in _dbt_tests(check):
            column_tests = tests.setdefault(converted.column or "", [])
            if converted.reason:
                comments.append(
                    f"# Not supported by dbt: {_line(described.name)}: {_line(check.sentence)} ({converted.reason})"
                )
            elif _name_of(converted.test) not in map(_name_of, column_tests):
                # dbt accepts only one test of the same name and arguments, whatever its configuration.
                column_tests.append(converted.test)
    own = tests.pop("", [])
    declared = {text(each, "name") or "": each for _, each in members(content, "properties")}
    undeclared = {name: {"name": name} for name in tests if name not in declared}
    model_columns = [_column(each, tests.get(name, [])) for name, each in (declared | undeclared).items()]
    return {
        **_headed(content),
        **({"data_tests": own} if own else {}),
        **({"columns": model_columns} if model_columns else {}),
    }


def _headed(content: Mapping[str, Any]) -> dict[str, Any]:
    described = text(content, "description")
    return {"name": _inert(text(content, "name") or ""), **({"description": _inert(described)} if described else {})}


def _column(content: Mapping[str, Any], tests: list[Any]) -> dict[str, Any]:
    entry, kind = _headed(content), text(content, "physicalType")
    if not _NAME.fullmatch(text(content, "name") or ""):
        entry["quote"] = True
    return {**entry, **({"data_type": _inert(kind)} if kind else {}), **({"data_tests": tests} if tests else {})}


def _name_of(test: Any) -> Any:
    """Return what identifies a test in dbt: its name and arguments."""
    if not isinstance(test, dict):
        return test, None
    name, body = next(iter(test.items()))
    return name, repr(body.get("arguments")) if isinstance(body, dict) and "arguments" in body else None


def _dbt_tests(check: CheckAssignment) -> Iterator[DbtTest]:
    own = check.check.kind == "custom" and check.check.analyzer == FOREIGN
    if own and is_test(check.check.arguments["implementation"]) and _NAME.fullmatch(check.check.column or "_"):
        yield DbtTest(check.check.column, check.check.arguments["implementation"])
    elif check.analyzer is None or check.check.assertion is None:
        yield DbtTest(reason=_line(check.reason or "it has no assertion"))
    elif check.runner is Runner.HERE:
        tests = SAYING.get(check.analyzer.name, _unsaid)(check.analyzer, check.check.assertion)
        yield from (_placed(check, *each) for each in tests or [("", {})])


def _placed(check: CheckAssignment, name: str, arguments: Mapping[str, Any]) -> DbtTest:
    column = check.column or ""
    if not name:
        return DbtTest(reason="no equivalent dbt test")
    if check.scope not in SCOPES or (name in WHOLE and check.scope != "dataset"):
        return DbtTest(reason=f"its scope is {_line(check.scope)}")
    if not _NAME.fullmatch(column):
        return DbtTest(reason="it is not on a single column with a plain name")
    condition = check.analyzer.where if check.analyzer else None
    if condition and _TEMPLATE.search(condition):
        return DbtTest(reason="its condition contains template syntax")
    severity = {"severity": "warn"} if check.check.severity == "warning" else {}
    config = {**severity, **({"where": condition} if condition else {})}
    body = {**({"arguments": arguments} if arguments else {}), **({"config": config} if config else {})}
    return DbtTest(column, {name: body} if body else name)


def _all(promise: Assertion) -> bool:
    return promise.operator in {"mustBe", "mustBeGreaterOrEqualTo"} and promise.limit == 1


def _none(promise: Assertion) -> bool:
    return promise.operator in {"mustBe", "mustBeLessOrEqualTo"} and promise.limit == 0


def _unsaid(_: Analyzer, __: Assertion) -> list[Test]:
    return []


def _plainly(name: str, holds: Callable[[Assertion], bool]) -> Callable[[Analyzer, Assertion], list[Test]]:
    return lambda _, promise: [(name, {})] if holds(promise) else []


def _key(_: Analyzer, promise: Assertion) -> list[Test]:
    return [("unique", {}), ("not_null", {})] if _all(promise) else []


def _contained(analyzer: Any, promise: Assertion) -> list[Test]:
    return _accepted(analyzer.values) if _all(promise) and analyzer.nulls == _default(analyzer, "nulls") else []


def _valid(analyzer: Any, promise: Assertion) -> list[Test]:
    values_only = analyzer.pattern is None and analyzer.format is None
    return _accepted(analyzer.valid_values) if _none(promise) and values_only and analyzer.valid_values else []


def _accepted(values: Any) -> list[Test]:
    allowed = list(values)
    if all(isinstance(each, str) and not _UNQUOTED.search(each) for each in allowed):
        return [("accepted_values", {"values": allowed})]
    numbers = all(isinstance(each, int | float) for each in allowed)
    return [("accepted_values", {"values": allowed, "quote": False})] if numbers else []


def _related(analyzer: Any, promise: Assertion) -> list[Test]:
    fields = analyzer.other_columns or analyzer.columns
    if not _all(promise) or len(fields) != 1 or not all(map(_NAME.fullmatch, (analyzer.dataset, *fields))):
        return []
    return [("relationships", {"to": f"ref('{analyzer.dataset}')", "field": fields[0]})]


def _default(analyzer: Analyzer, name: str) -> Any:
    return type(analyzer).model_fields[name].default


SAYING: Mapping[str, Callable[[Any, Assertion], list[Test]]] = {
    "completeness": _plainly("not_null", _all),
    "null_values": _plainly("not_null", _none),
    "uniqueness": _plainly("unique", _all),
    "unique_row_ratio": _plainly("unique", _all),
    "unique_value_ratio": _plainly("unique", _all),
    "distinctness": _plainly("unique", _all),
    "duplicate_rows": _plainly("unique", _none),
    "primary_key": _key,
    "contained_in": _contained,
    "invalid_values": _valid,
    "referential_integrity": _related,
}


def _line(words: str) -> str:
    return "".join(each if each.isprintable() else " " for each in " ".join(words.split()))


def _inert(words: str) -> str:
    """Escape template delimiters so that dbt renders the original text."""
    return _TEMPLATE.sub(lambda match: "{{ '" + match[0] + "' }}", words)
