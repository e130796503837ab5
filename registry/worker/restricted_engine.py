"""Restrict an engine to the allowed locations of the moment of each request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from treaty.engine.core.errors import RefusedTable
from treaty.engine.core.locations.rules import LocationRules
from treaty.engine.protocol.engine import Engine
from treaty.engine.protocol.progress import ReportProgress, no_progress
from treaty.engine.protocol.requests import (
    DraftRequest,
    DraftResult,
    LakeRequest,
    MeasureRequest,
    MeasureResult,
    SpectraRequest,
    TableSource,
)
from treaty.engine.protocol.row_requests import ExactRequest, SampleRequest

RowRequestT = TypeVar("RowRequestT", MeasureRequest, ExactRequest)


@dataclass(frozen=True)
class RestrictedEngine:
    """An engine that reads allowed locations only.

    Refuses requests about other tables, and passes the rules on, so that the Spark process applies them again to the
    files that it finds. Other datasets of a request are refused there: only the checks that need them fail."""

    inner: Engine
    rules: Callable[[], LocationRules]

    def measure(self, request: MeasureRequest) -> MeasureResult:
        rules = self.rules()
        restricted = _with_target(_checked(request.source, rules), request, rules)
        return self.inner.measure(replace(restricted, datasets=_marked(request.datasets, rules)))

    def exact_values(self, request: ExactRequest) -> Mapping[Any, Any]:
        rules = self.rules()
        return self.inner.exact_values(_with_target(_checked(request.source, rules), request, rules))

    def sample(self, request: SampleRequest) -> tuple[Any, ...]:
        rules = self.rules()
        source, datasets = _checked(request.source, rules), _marked(request.datasets, rules)
        return self.inner.sample(replace(request, source=source, datasets=datasets))

    def draft(self, request: DraftRequest, report_progress: ReportProgress = no_progress) -> DraftResult:
        rules = self.rules()
        resolved = rules.resolve()
        keys = (each for each in request.keys if not resolved.refusal(each.source.location, each.source.format))
        marked = tuple(replace(each, source=replace(each.source, rules=rules)) for each in keys)
        return self.inner.draft(replace(request, source=_checked(request.source, rules), keys=marked), report_progress)

    def learn(self, request: LakeRequest, report_progress: ReportProgress = no_progress) -> Mapping[str, Any]:
        """Learn from the tables that may be read; others are removed from the index."""
        rules = self.rules()
        resolved = rules.resolve()
        tables = (each for each in request.tables if not resolved.refusal(each.location, each.format))
        restricted = tuple(replace(each, rules=rules) for each in tables)
        return self.inner.learn(replace(request, tables=restricted), report_progress)

    def spectra(self, request: SpectraRequest) -> dict[str, Any]:
        return self.inner.spectra(request)

    def cancel(self) -> None:
        self.inner.cancel()

    def close(self) -> None:
        self.inner.close()


def _with_target(source: TableSource, request: RowRequestT, rules: LocationRules) -> RowRequestT:
    target = request.target_table
    return replace(request, source=source, target_table=_checked(target, rules) if target else None)


def _checked(source: TableSource, rules: LocationRules) -> TableSource:
    """Return the source with the rules. Raises RefusedTable if they refuse it."""
    if reason := rules.resolve().refusal(source.location, source.format):
        raise RefusedTable(reason)
    return replace(source, rules=rules)


def _marked(sources: Mapping[str, TableSource], rules: LocationRules) -> dict[str, TableSource]:
    return {name: replace(each, rules=rules) for name, each in sources.items()}
