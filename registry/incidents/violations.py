"""What a run found violated, as incidents see it: which checks fail where, on whose data, and since when."""

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

# A check, and the partition that it fails on; None: on all together.
Failing: TypeAlias = tuple[str, str | None]


@dataclass(frozen=True, kw_only=True)
class RunViolations:
    """A run as incidents see it."""

    session: Session
    run: RunRow
    result: RunResult
    now: datetime
    ids: Ids

    @property
    def failing(self) -> set[Failing]:
        """What fails in it."""
        return {place(each) for each in self.result.results if violates(each)}

    @property
    def about(self) -> tuple[str, str]:
        """Whose it is."""
        return self.run.contract_id, self.run.object

    @property
    def columns(self) -> list[str] | None:
        """The columns that failed checks are about; None where one is about the rows themselves."""
        named = {each.column for each in self.result.results if violates(each)}
        return None if None in named else sorted(filter(None, named))

    @cached_property
    def by(self) -> LineageRunRow | None:
        """The run that wrote the data that it judged; None where none is known."""
        return self.session.get(LineageRunRow, self.run.lineage_run_id) if self.run.lineage_run_id else None

    @property
    def written_at(self) -> datetime:
        """When the data came that it judged: with the end of the run that wrote them, where one is known."""
        return (self.by.finished_at or self.by.started_at if self.by else None) or self.run.started_at

    @property
    def data_version(self) -> str | None:
        """The version of the table that the run wrote; None where it told none."""
        dataset = self.session.get(DatasetRow, self.run.dataset_id) if self.run.dataset_id else None
        if self.by is None or dataset is None:
            return None
        here, nodes = LineageName(dataset.namespace, dataset.name), NameResolver(self.session)
        outputs = FoldedRun.model_validate(self.by.state).outputs
        return next(
            (impact.version(each) for each in outputs if here in nodes.group(graph_node(each.namespace, each.name))),
            None,
        )


def violates(result: CheckResult) -> bool:
    """Whether it is a failure of a check whose failures are errors."""
    return result.outcome is Outcome.FAILED and result.severity == "error"


def place(result: CheckResult) -> Failing:
    """Which check it is of, and of which partition."""
    return result.check_id, result.partition
