"""How soon a trigger is looked at: sooner where consumers wait for the verdict, later while more waits than is done."""

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from treaty.registry.core.enums import SubscriptionState
from treaty.registry.queue import task_queue
from treaty.registry.queue.task_queue import Priority
from treaty.registry.tables import SubscriptionRow

# For each so many tasks that wait for a worker, the quiet times are doubled.
HIGH_WATER = 200
DOUBLINGS = 8
SHORTEST, LONGEST = timedelta(seconds=5), timedelta(minutes=10)


def priority(session: Session, usual: int, contract_id: str) -> int:
    """That of the trigger; of data that somebody builds on, and waits for, a higher one than the usual."""
    if usual != Priority.NORMAL:
        return usual
    consumers = select(SubscriptionRow.id).where(SubscriptionRow.contract_id == contract_id)
    waits = session.exec(consumers.where(col(SubscriptionRow.state) == SubscriptionState.ACTIVE).limit(1)).first()
    return usual if waits is None else Priority.BLOCKING


def quiet(session: Session, usual: timedelta, *, now: datetime) -> timedelta:
    """The quiet time as the contract has it. While more tasks wait than they should it is doubled, up to ten minutes:
    what is written again and again is then looked at less often, before anybody is refused."""
    over = task_queue.waiting(session, now=now, most=HIGH_WATER * DOUBLINGS) // HIGH_WATER
    return widened(usual, over)


def widened(usual: timedelta, doublings: int) -> timedelta:
    """The quiet time doubled so often: at least five seconds then, and ten minutes at most unless it is longer
    itself."""
    if not doublings:
        return usual
    doubled: timedelta = max(usual, SHORTEST) * 2**doublings
    return max(usual, min(doubled, LONGEST))
