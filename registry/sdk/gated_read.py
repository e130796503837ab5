"""Read data in Spark after the gate allows it.

    from treaty.registry.sdk.gated_read import table

    orders = table(spark, "shop-orders", partition="day=2026-01-01", wait="10m")
    orders.frame.show()

Imports no database, and imports Spark only when data is read."""

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
NOWHERE = "The location of {} is unknown. Set it when drafting the contract, or add an alias to the contract."


class GateRefusal(Exception):
    """The gate does not allow the read.

    `answer`: the answer of the gate. The message contains the reason."""

    def __init__(self, gate: GateOut, reason: str) -> None:
        self.answer = gate
        super().__init__(reason)


class ReadBlocked(GateRefusal):
    """The data violates its contract."""


class VerdictUnknown(GateRefusal):
    """The verdict of the current data is unknown."""


@dataclass(frozen=True)
class AdmittedTable:
    """A table that the gate allows to be read: its data frame and the gate's answer."""

    frame: Any
    answer: GateOut

    @property
    def marker(self) -> str | None:
        """Return the fingerprint of the validated data; None if there is none."""
        return self.answer.dataset_fingerprint


def table(  # noqa: PLR0913 - each parameter is part of the question to the gate
    spark: Any, dataset: str, *, partition: str | None = None, consumer: str | None = None, wait: str = "0s",
    namespace: str | None = None, client: Client | None = None,
) -> AdmittedTable:  # fmt: skip
    """Return a data frame of the dataset or partition if the gate allows it.

    `partition`: None means the whole dataset.
    `consumer`: user, team or subscription whose checks and pin apply; None applies the contracts alone.
    `wait`: how long to wait while the verdict is unknown, such as "30s", "10m" or "2h".
    `client`: None uses the service and token of TREATY_API_URL and TREATY_TOKEN.

    Raises ReadBlocked if the gate blocks the read, VerdictUnknown if the verdict or the location of the data is
    unknown, ClientError if the service rejects the request, ValueError if `wait` is not a duration, and EngineError
    if the data cannot be read. A warning of the gate is logged."""
    seconds, settings = seconds_of(wait), load()
    with client or Client(settings.api, settings.token or None) as api_client:
        fetch_answer = partial(api_client.gate, dataset, partition=partition, consumer=consumer, namespace=namespace)
        answer = wait_for_answer(fetch_answer, seconds)
    _refuse(answer)
    return AdmittedTable(_frame(spark, answer), answer)


def _refuse(gate: GateOut) -> None:
    target = f"{gate.name} {gate.partition or ''}".rstrip()
    message = f"{target} (contract {gate.contract_id} {gate.version}): {gate.reason}"
    if gate.answer is GateAnswer.BLOCK:
        raise ReadBlocked(gate, message)
    if gate.answer is GateAnswer.UNKNOWN:
        raise VerdictUnknown(gate, message)
    if gate.location.location is None:
        raise VerdictUnknown(gate, NOWHERE.format(gate.name))
    if gate.answer is GateAnswer.WARN:
        log.warning("%s", message)


def _frame(spark: Any, gate: GateOut) -> Any:
    from treaty.engine.spark.sources.readers import read

    place = gate.location
    names = (gate.partition,) if gate.partition else ()
    return read(spark, TableSource(place.location or "", place.format, place.partition_by), names=names)
