"""A scene whose judge looks at the columns of the table as well as at the data."""

from dataclasses import replace
from typing import Any

from support.engines import SCHEMA, judge
from support.scenes import Scene

from treaty.engine.checks.schema_checks import check_structure
from treaty.engine.core.results import RunResult
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.registry.worker.loop import Worker


class Structural(Scene):
    """Texts that are good or bad, in a table whose columns are judged as the engine does."""

    def worker(self, **other: Any) -> Worker:
        """A worker that judges both."""
        return super().worker(**({"evaluate": judged} | other))


def judged(request: EvaluationRequest) -> RunResult:
    """The run of `support.engines`, and what the contract promises of the columns."""
    run = judge(replace(request, schema=SCHEMA))
    columns = tuple(check_structure(request.object, request.schema or SCHEMA, terms=request.contract.terms))
    return run.model_copy(update={"results": (*columns, *run.results)})
