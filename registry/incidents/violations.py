"""Represent the violations of a run for incidents: failing checks, columns and origin of the data."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from sqlmodel import Session

from treaty.engine.core.results import CheckResult, Outcome, RunResult
from treaty.registry.core.ids import Ids
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.downstream import impact
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.lineage.graph.flows import graph_node
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.tables import DatasetRow, LineageRunRow, RunRow

# A check id and the partition on which it fails; None means the whole dataset.
Failing: TypeAlias = tuple[str, str | None]


@dataclass(frozen=True, kw_only=True)
class RunViolations:
    """The violations of a run."""

    session: Session
    run: RunRow
    result: RunResult
    now: datetime
    ids: Ids

    @property
    def failing(self) -> set[Failing]:
        """Return the failing checks with their partitions."""
        return {place(each) for each in self.result.results if violates(each)}

    @property
    def about(self) -> tuple[str, str]:
        """Return the contract's id and the object's name."""
        return self.run.contract_id, self.run.object

    @property
    def columns(self) -> list[str] | None:
        """Return the columns of the failing checks, sorted; None if a check concerns whole rows."""
        named = {each.column for each in self.result.results if violates(each)}
        return None if None in named else sorted(filter(None, named))

    @cached_property
    def by(self) -> LineageRunRow | None:
        """Return the lineage run that wrote the validated data; None if unknown."""
        return self.session.get(LineageRunRow, self.run.lineage_run_id) if self.run.lineage_run_id else None

    @property
    def written_at(self) -> datetime:
        """Return the time the validated data was written.

        This is the end of the lineage run that wrote it, or its start; if that run is unknown, the start of the
        validation."""
        return (self.by.finished_at or self.by.started_at if self.by else None) or self.run.started_at

    @property
    def data_version(self) -> str | None:
        """Return the table version that the lineage run wrote; None if it reported none."""
        dataset = self.session.get(DatasetRow, self.run.dataset_id) if self.run.dataset_id else None
        if self.by is None or dataset is None:
            return None
        target, nodes = LineageName(dataset.namespace, dataset.name), NameResolver(self.session)
        outputs = FoldedRun.model_validate(self.by.state).outputs
        return next(
            (impact.version(each) for each in outputs if target in nodes.group(graph_node(each.namespace, each.name))),
            None,
        )


def violates(result: CheckResult) -> bool:
    """Return whether the result is a failure with severity error."""
    return result.outcome is Outcome.FAILED and result.severity == "error"


def place(result: CheckResult) -> Failing:
    """Return the check id and the partition of the result."""
    return result.check_id, result.partition
