"""Checks as code: a chain of promises about one table, to be verified at once or written as a contract."""

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
    """Promises about one table. Every method answers a new Check with one promise more; none changes this one.

    Every promise takes `where` (only rows for which that SQL is true), `id`, `name` and `scope` by keyword."""

    name: str
    severity: Severity = "error"
    promises: tuple[Promise, ...] = ()

    @classmethod
    def error(cls, name: str = "table") -> Self:
        """No promise yet; one that is broken fails the run."""
        return cls(name, "error")

    @classmethod
    def warning(cls, name: str = "table") -> Self:
        """No promise yet; one that is broken warns."""
        return cls(name, "warning")

    def that(self, analyzer: str, must: Expected, **words: Any) -> Self:
        """The promise that an analyzer's value keeps an assertion: `words` are the analyzer's arguments.

        The way to analyzers that have no method of their own, plug-ins among them. `in_` stands for the word `in`."""
        arguments = {name.rstrip("_"): _plain(given) for name, given in words.items() if given is not None}
        taken = {name: arguments.pop(name, None) for name in ("where", "id", "name", "scope")}
        scope: Scope | None = taken["scope"]
        identity = taken["id"] or self._identity(analyzer, arguments)
        promise = Promise(
            id=identity,
            name=taken["name"] or identity,
            kind="treaty",
            severity=self.severity,
            analyzer=analyzer,
            arguments=arguments,
            where=taken["where"],
            scope=scope,
            assertion=expected(must),
            path=f"promise {len(self.promises) + 1}, {analyzer}",
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
        """The metric is what its own past says, as a detector tells it: `has_no_anomalies("mean", column="amount")`,
        `has_no_anomalies(Size(), OnlineNormal(std_devs=4))`. `group_by`: that of each segment of these columns, where
        the metric is size, completeness or mean (the analyzer `segments`)."""
        name, given = (metric, {}) if isinstance(metric, str) else (metric.name, metric.arguments())
        if group_by is None:
            return self.that(name, no_anomalies(detector), **{**given, **words})
        return self.that("segments", no_anomalies(detector), metric=name, by=group_by, **{**given, **words})

    def _identity(self, analyzer: str, arguments: Mapping[str, Any]) -> str:
        """An id from names; numbered where an earlier promise has it."""
        named = [arguments.get(name) for name in ("column", "columns", "other")]
        words = "-".join(each if isinstance(each, str) else "-".join(each) for each in named if each)
        return self._free(f"{words}-{analyzer}" if words else analyzer)

    def _free(self, wanted: str) -> str:
        taken = {each.id for each in self.promises}
        numbered = (f"{wanted}-{number}" for number in count(2))
        return wanted if wanted not in taken else next(each for each in numbered if each not in taken)

    def __add__(self, other: "Check") -> "Check":
        """The promises of both, each with its own severity; an id that both have is numbered in the second."""
        both = self
        for each in other.promises:
            both = replace(both, promises=(*both.promises, replace(each, id=both._free(each.id))))
        return both

    def contract(self) -> Contract:
        """The promises as a contract that `verify` and `bind` take. Raises ContractError where two have one id."""
        ids = [each.id for each in self.promises]
        twice = sorted({each for each in ids if ids.count(each) > 1})
        if twice:
            message, remedy = f"several promises have the id {', '.join(twice)}", "give each its own: id='...'"
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
        """The run that judges a Spark frame; `options` are those of `treaty.engine.session.verify.verify`."""
        from treaty.engine.session.verify import verify

        return verify(frame, self.contract(), **options)

    def document(self, table: Schema | Any) -> bytes:
        """The promises as a contract's YAML, with the columns of the table: a Spark frame, or its schema. Raises
        ContractError for those only code can judge."""
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
    """A promise as a quality entry of a document. Raises ContractError where its assertion is a function."""
    assertion = promise.assertion
    if assertion is None or isinstance(assertion, CallableLimit):
        message, remedy = "is judged by a function, which a document cannot hold", "use at_least, between and the like"
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
            **{word: given for word, given in words.items() if given is not None},
            assertion.operator: _written(assertion),
        },
    }


def _written(assertion: Assertion) -> Any:
    if assertion.detection:
        return {"detector": assertion.detection.detector, **assertion.detection.arguments}
    return list(assertion.limit) if isinstance(assertion.limit, tuple) else assertion.limit


def _plain(given: Any) -> Any:
    return list(given) if isinstance(given, tuple | set | frozenset) else given
