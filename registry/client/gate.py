"""Client methods for gate verdicts and the state store of publishers."""

from datetime import datetime

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class GateApi(ApiTransport):
    """Client methods for gate verdicts and the state store of publishers.

    `contract_id` selects the contract if several contracts cover the dataset."""

    def verdict(
        self,
        dataset: str,
        *,
        namespace: str | None = None,
        contract_id: str | None = None,
        dataset_fingerprint: str | None = None,
    ) -> schemas.GateVerdictOut:
        """Fetch the verdict for the current data, or for the data with that fingerprint.

        The verdict is `unknown` if it cannot be determined."""
        query = {**_of(dataset, namespace, contract_id), "dataset_fingerprint": dataset_fingerprint}
        return self._get(schemas.GateVerdictOut, "/dataset/gate", **query)

    def gate(  # noqa: PLR0913 - each parameter is part of the question
        self, dataset: str, *, partition: str | None = None, consumer: str | None = None, namespace: str | None = None,
        contract_id: str | None = None, dataset_fingerprint: str | None = None, as_of: datetime | None = None,
    ) -> schemas.GateOut:  # fmt: skip
        """Fetch the gate's answer for reading a dataset or one of its partitions.

        `consumer`: user, team or subscription whose checks and pin apply; None applies the contracts alone.
        `dataset_fingerprint`: fingerprint of the data to read; None means the current data.
        `as_of`: the data must have been inspected at or after this time; None means any time."""
        target = {"dataset": dataset, "namespace": namespace, "contract_id": contract_id, "partition": partition}
        conditions = {
            "consumer": consumer,
            "dataset_fingerprint": dataset_fingerprint,
            "as_of": as_of and as_of.isoformat(),
        }
        return self._get(schemas.GateOut, "/gate", **target, **conditions)

    def gated_dataset(
        self, dataset: str, *, namespace: str | None = None, contract_id: str | None = None
    ) -> schemas.GatedDatasetOut:
        """Fetch the contract, location and fits of a dataset for a gated write."""
        return self._get(schemas.GatedDatasetOut, "/dataset/gate/dataset", **_of(dataset, namespace, contract_id))

    def generation(
        self, dataset: str, *, namespace: str | None = None, contract_id: str | None = None
    ) -> schemas.GenerationBody:
        """Fetch the current generation of a dataset's states: the name of each partition's states."""
        return self._get(schemas.GenerationBody, "/dataset/gate/generation", **_of(dataset, namespace, contract_id))

    def swap_generation(
        self, dataset: str, following: schemas.GenerationBody, *, namespace: str | None = None,
        contract_id: str | None = None,
    ) -> schemas.GenerationBody:  # fmt: skip
        """Replace generation `number` by these states. Responds 409 if it is not the current one."""
        query = _of(dataset, namespace, contract_id)
        sent = self._send("POST", "/dataset/gate/generation", query=query, body=following)
        return self._answer(schemas.GenerationBody, sent)

    def bag(
        self, dataset: str, bag: str, *, namespace: str | None = None, contract_id: str | None = None
    ) -> bytes:  # fmt: skip
        """Fetch the packed states of that name."""
        query = {**_of(dataset, namespace, contract_id), "bag": bag}
        return self._send("GET", "/dataset/gate/bag", query=query).content

    def store_bag(self, content: bytes) -> str:
        """Store packed states or a run, and return the name for use in a generation."""
        sent = self._request("POST", "/dataset/gate/bag", {"Content-Type": "application/octet-stream"}, content=content)
        return self._answer(schemas.StateBagOut, sent).bag

    def recover_publication(
        self, dataset: str, *, namespace: str | None = None, contract_id: str | None = None
    ) -> None:
        """Mark the open publication as settled. Responds 409 if there is none."""
        self._send("POST", "/dataset/gate/recovered", query=_of(dataset, namespace, contract_id))


def _of(dataset: str, namespace: str | None, contract_id: str | None) -> dict[str, str | None]:
    return {"name": dataset, "namespace": namespace, "contract_id": contract_id}
