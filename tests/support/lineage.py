"""What a service keeps of lineage: the events as they were stored, the runs folded from them, and their triggers."""

import json
from collections.abc import Iterable
from typing import Any

from sqlmodel import select
from support.loops import Services

from treaty.registry.core.database import read_session
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.lineage.events.triggers import TriggerKind, triggers
from treaty.registry.tables import LineageEventRow, LineageRunRow


def kept(services: Services) -> list[dict[str, Any]]:
    """The events in the inbox, oldest first."""
    with read_session(services.database) as session:
        rows = session.exec(select(LineageEventRow).order_by(LineageEventRow.received_at)).all()  # type: ignore[arg-type]
    return [json.loads(row.body) for row in rows]


def runs(services: Services) -> list[FoldedRun]:
    """The runs as they are folded by now."""
    with read_session(services.database) as session:
        return [FoldedRun.model_validate(row.state) for row in session.exec(select(LineageRunRow)) if row.state]


def asked(run: FoldedRun) -> list[tuple[str, str]]:
    """(name, what of it is to be looked at) of each dataset that the run asks about."""
    return [(each.dataset.name, each.reads.value) for each in triggers(run)]


def written(runs: Iterable[FoldedRun]) -> list[tuple[str, str]]:
    """(namespace, name) of each dataset whose data the runs ask to be validated, in the order of names."""
    every = (each for run in runs for each in triggers(run) if each.reads is TriggerKind.DATA)
    return sorted((each.dataset.namespace, each.dataset.name) for each in every)
