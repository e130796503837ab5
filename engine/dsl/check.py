"""Define checks in code: a chain of checks of one table, to be verified or written as a contract."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Self

from treaty.contracts.assertions import Assertion
from treaty.contracts.document.model import Contract, DataObject, Scope, Severity, Terms
from treaty.contracts.document.model import ContractCheck as Promise
from treaty.contracts.errors import ContractError, Fault
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.anomaly.detector import Detector
from treaty.engine.core.results import RunResult
from treaty.engine.dsl.columns import ColumnChecks
from treaty.engine.dsl.groups import GroupChecks
from treaty.engine.dsl.limits import CallableLimit, Expected, expected, no_anomalies
from treaty.engine.dsl.tables import TableChecks


@dataclass(frozen=True)
class Check(ColumnChecks, GroupChecks, TableChecks):
    """Checks of one table. Every method returns a new Check with one more check; a Check never changes.

    Every method takes the keywords `where` (SQL; only rows for which it is true count), `id`, `name` and `scope`.
    `must` is the assertion that the value must satisfy, for example `at_least(0.95)`; by default 1 for a share."""

    name: str
    severity: Severity = "error"
    promises: tuple[Promise, ...] = ()

    @classmethod
    def error(cls, name: str = "table") -> Self:
        """Start without checks; a violated check fails the run."""
        return cls(name, "error")

    @classmethod
    def warning(cls, name: str = "table") -> Self:
        """Start without checks; a violated check gives a warning."""
        return cls(name, "warning")

    def that(self, analyzer: str, must: Expected, **words: Any) -> Self:
        """Check that an analyzer's value satisfies an assertion; `words` are the analyzer's arguments.

        For analyzers without a method of their own, including plug-ins. A trailing underscore is removed from an
        argument's name: `in_` stands for `in`."""
        arguments = {name.rstrip("_"): _plain(value) for name, value in words.items() if value is not None}
        common = {name: arguments.pop(name, None) for name in ("where", "id", "name", "scope")}
        scope: Scope | None = common["scope"]
        identity = common["id"] or self._identity(analyzer, arguments)
        promise = Promise(
            id=identity,
            name=common["name"] or identity,
            kind="treaty",
            severity=self.severity,
            analyzer=analyzer,
            arguments=arguments,
            where=common["where"],
            scope=scope,
            assertion=expected(must),
            path=f"check {len(self.promises) + 1}, {analyzer}",
        )
        return replace(self, promises=(*self.promises, promise))

    def has_no_anomalies(
        self,
        metric: str | Analyzer,
        detector: str | Detector = "auto",
        *,
        group_by: str | Sequence[str] | None = None,
        **words: Any,
    ) -> Self:
        """Check that the metric is no anomaly compared with its history.

        For example `has_no_anomalies("mean", column="amount")` or `has_no_anomalies(Size(),
        OnlineNormal(std_devs=4))`. `detector`: name of a detector, or a detector with arguments. `group_by`:
        columns; each of their segments is evaluated on its own, for the metrics size, completeness and mean
        (analyzer `segments`)."""
        name, arguments = (metric, {}) if isinstance(metric, str) else (metric.name, metric.arguments())
        if group_by is None:
            return self.that(name, no_anomalies(detector), **{**arguments, **words})
        return self.that("segments", no_anomalies(detector), metric=name, by=group_by, **{**arguments, **words})

    def _identity(self, analyzer: str, arguments: Mapping[str, Any]) -> str:
        """Return a unique id from the analyzer and the columns."""
        named = [arguments.get(name) for name in ("column", "columns", "other")]
        words = "-".join(each if isinstance(each, str) else "-".join(each) for each in named if each)
        return self._free(f"{words}-{analyzer}" if words else analyzer)

    def _free(self, name: str) -> str:
        existing = {each.id for each in self.promises}
        numbered = (f"{name}-{number}" for number in count(2))
        return name if name not in existing else next(each for each in numbered if each not in existing)

    def __add__(self, other: "Check") -> "Check":
        """Combine the checks of both, each with its severity; an id of the second that exists is numbered."""
        both = self
        for each in other.promises:
            both = replace(both, promises=(*both.promises, replace(each, id=both._free(each.id))))
        return both

    def contract(self) -> Contract:
        """Return the checks as a contract that `verify` and `bind` accept.

        Raises ContractError if two checks have the same id."""
        ids = [each.id for each in self.promises]
        twice = sorted({each for each in ids if ids.count(each) > 1})
        if twice:
            message, remedy = f"several checks have the id {', '.join(twice)}", "give each its own id: id='...'"
            raise ContractError([Fault(code="TR-CHECK-ID", where=self.name, message=message, remedy=remedy)])
        return Contract(
            source=b"",
            document={"checks": [repr(each) for each in self.promises]},
            id=self.name,
            name=self.name,
            version="code",
            status="draft",
            objects=(DataObject(name=self.name, checks=self.promises),),
            terms=Terms(),
        )

    def verify(self, frame: Any, **options: Any) -> RunResult:
        """Verify a Spark frame and return the run.

        `options`: those of `treaty.engine.session.verify.verify`."""
        from treaty.engine.session.verify import verify

        return verify(frame, self.contract(), **options)

    def document(self, table: Schema | Any) -> bytes:
        """Return the checks as the YAML of a contract.

        `table`: a Spark frame or its schema, for the columns. Raises ContractError for checks that use a Python
        function."""
        from treaty.contracts.document.writer import write
        from treaty.contracts.editing.patches import Patch, apply
        from treaty.contracts.editing.skeleton import skeleton

        schema = table if isinstance(table, Schema) else _schema_of(table)
        base = skeleton(
            contract_id=self.name, name=self.name, object_name=self.name, physical_name=self.name, schema=schema
        )
        return write(apply(base, [Patch(self.name, None, {"quality": entry(each)}) for each in self.promises]))


def _schema_of(frame: Any) -> Schema:
    from treaty.engine.spark.sources.readers import schema_of

    return schema_of(frame)


def entry(promise: Promise) -> dict[str, Any]:
    """Return a check as a quality entry of a document. Raises ContractError if its assertion is a function."""
    assertion = promise.assertion
    if assertion is None or isinstance(assertion, CallableLimit):
        message, remedy = (
            "uses a Python function, which a document cannot contain",
            "use at_least, between or another assertion",
        )
        raise ContractError([Fault(code="TR-CHECK-FUNCTION", where=promise.id, message=message, remedy=remedy)])
    words = {"where": promise.where, "scope": promise.scope}
    return {
        "id": promise.id,
        "name": promise.name,
        "type": "custom",
        "engine": "treaty",
        "severity": promise.severity,
        "implementation": {
            "analyzer": promise.analyzer,
            **promise.arguments,
            **{word: value for word, value in words.items() if value is not None},
            assertion.operator: _written(assertion),
        },
    }


def _written(assertion: Assertion) -> Any:
    if assertion.detection:
        return {"detector": assertion.detection.detector, **assertion.detection.arguments}
    return list(assertion.limit) if isinstance(assertion.limit, tuple) else assertion.limit


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple | set | frozenset) else value
