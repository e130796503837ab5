"""Data read in Spark once the gate lets them through.

    from treaty.registry.sdk.gated_read import table

    orders = table(spark, "shop-orders", partition="day=2026-01-01", wait="10m")
    orders.frame.show()

Imports no database, and Spark only once there is something to read."""

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

from treaty.engine.protocol.requests import TableSource
from treaty.registry.client import Client
from treaty.registry.core.enums import GateAnswer
from treaty.registry.core.settings import load
from treaty.registry.schemas import GateOut
from treaty.registry.sdk.wait_for_gate import seconds_of, wait_for_answer

log = logging.getLogger("treaty")
NOWHERE = "the registry does not know where {} lies: name its location when it is drafted, or an alias in the contract"


class GateRefusal(Exception):
    """The data are not read. `answer` is what the gate answered; the message says why."""

    def __init__(self, told: GateOut, reason: str) -> None:
        self.answer = told
        super().__init__(reason)


class ReadBlocked(GateRefusal):
    """The data break a promise that is made of them."""


class VerdictUnknown(GateRefusal):
    """Nobody knows whether the data that are there now keep what is promised of them."""


@dataclass(frozen=True)
class AdmittedTable:
    """A table that was let through: its frame, and what the gate answered."""

    frame: Any
    answer: GateOut

    @property
    def marker(self) -> str | None:
        """What names the data that were judged."""
        return self.answer.dataset_fingerprint


def table(  # noqa: PLR0913 - each is a word of the question
    spark: Any, dataset: str, *, partition: str | None = None, consumer: str | None = None, wait: str = "0s",
    namespace: str | None = None, client: Client | None = None,
) -> AdmittedTable:  # fmt: skip
    """The dataset, or one partition of it, as a frame of the Spark session, once the gate says pass or warn.

    `wait`: for an answer other than unknown. `client` None: the service and token of TREATY_API_URL and TREATY_TOKEN.
    Raises Blocked, Unknown, ClientError where the service refuses, ValueError for a `wait` that is no duration, and
    EngineError where the data cannot be read."""
    seconds, settings = seconds_of(wait), load()
    with client or Client(settings.api, settings.token or None) as used:
        ask = partial(used.gate, dataset, partition=partition, consumer=consumer, namespace=namespace)
        told = wait_for_answer(ask, seconds)
    _refuse(told)
    return AdmittedTable(_frame(spark, told), told)


def _refuse(told: GateOut) -> None:
    what = f"{told.name} {told.partition or ''}".rstrip()
    why = f"{what} by {told.contract_id} {told.version}: {told.reason}"
    if told.answer is GateAnswer.BLOCK:
        raise ReadBlocked(told, why)
    if told.answer is GateAnswer.UNKNOWN:
        raise VerdictUnknown(told, why)
    if told.location.location is None:
        raise VerdictUnknown(told, NOWHERE.format(told.name))
    if told.answer is GateAnswer.WARN:
        log.warning("%s", why)


def _frame(spark: Any, told: GateOut) -> Any:
    from treaty.engine.spark.sources.readers import read

    place = told.location
    names = (told.partition,) if told.partition else ()
    return read(spark, TableSource(place.location or "", place.format, place.partition_by), names=names)
