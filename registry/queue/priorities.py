"""Set the priority and quiet period of validations.

Priorities depend on consumers, quiet periods on the length of the queue."""

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from treaty.registry.core.enums import SubscriptionState
from treaty.registry.queue import task_queue
from treaty.registry.queue.task_queue import Priority
from treaty.registry.tables import SubscriptionRow

# The quiet period doubles for each such number of tasks that wait for a worker.
HIGH_WATER = 200
DOUBLINGS = 8
SHORTEST, LONGEST = timedelta(seconds=5), timedelta(minutes=10)


def priority(session: Session, usual: int, contract_id: str) -> int:
    """Return the priority of a validation, raised if the contract has active consumers.

    `usual`: priority of the trigger; only NORMAL is raised."""
    if usual != Priority.NORMAL:
        return usual
    consumers = select(SubscriptionRow.id).where(SubscriptionRow.contract_id == contract_id)
    consumer = session.exec(consumers.where(col(SubscriptionRow.state) == SubscriptionState.ACTIVE).limit(1)).first()
    return usual if consumer is None else Priority.BLOCKING


def quiet(session: Session, usual: timedelta, *, now: datetime) -> timedelta:
    """Return the quiet period, doubled for each 200 waiting tasks.

    This backpressure validates frequently written data less often before any request is rejected."""
    doublings = task_queue.waiting(session, now=now, most=HIGH_WATER * DOUBLINGS) // HIGH_WATER
    return widened(usual, doublings)


def widened(usual: timedelta, doublings: int) -> timedelta:
    """Return the quiet period doubled `doublings` times.

    The result is at least 5 seconds and at most 10 minutes. A longer period of the contract is never shortened; zero
    doublings change nothing."""
    if not doublings:
        return usual
    doubled: timedelta = max(usual, SHORTEST) * 2**doublings
    return max(usual, min(doubled, LONGEST))
