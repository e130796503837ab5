"""Calls about the gate: its verdict, and the store of states for who publishes."""

from datetime import datetime

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class GateApi(ApiTransport):
    """The gate: its verdict, and the store of states for who publishes.

    `contract_id` says whose promises are meant, where several contracts are about the dataset."""

    def verdict(
        self,
        dataset: str,
        *,
        namespace: str | None = None,
        contract_id: str | None = None,
        dataset_fingerprint: str | None = None,
    ) -> schemas.GateVerdictOut:
        """Return the gate's answer for the present data, or for those of a fingerprint; `unknown` where in doubt."""
        query = {**_of(dataset, namespace, contract_id), "dataset_fingerprint": dataset_fingerprint}
        return self._get(schemas.GateVerdictOut, "/dataset/gate", **query)

    def gate(  # noqa: PLR0913 - each is a word of the question
        self, dataset: str, *, partition: str | None = None, consumer: str | None = None, namespace: str | None = None,
        contract_id: str | None = None, dataset_fingerprint: str | None = None, as_of: datetime | None = None,
    ) -> schemas.GateOut:  # fmt: skip
        """Whether the data of the dataset, or of one partition, may be read, as far as is known; for a consumer with
        what they check and follow, too."""
        asked = {"dataset": dataset, "namespace": namespace, "contract_id": contract_id, "partition": partition}
        seen = {"consumer": consumer, "dataset_fingerprint": dataset_fingerprint, "as_of": as_of and as_of.isoformat()}
        return self._get(schemas.GateOut, "/gate", **asked, **seen)

    def gated_dataset(
        self, dataset: str, *, namespace: str | None = None, contract_id: str | None = None
    ) -> schemas.GatedDatasetOut:
        """What a gate needs to know of a dataset before it opens."""
        return self._get(schemas.GatedDatasetOut, "/dataset/gate/dataset", **_of(dataset, namespace, contract_id))

    def generation(
        self, dataset: str, *, namespace: str | None = None, contract_id: str | None = None
    ) -> schemas.GenerationBody:
        """The current states of all partitions of a dataset, by the names of their bags."""
        return self._get(schemas.GenerationBody, "/dataset/gate/generation", **_of(dataset, namespace, contract_id))

    def swap_generation(
        self, dataset: str, following: schemas.GenerationBody, *, namespace: str | None = None,
        contract_id: str | None = None,
    ) -> schemas.GenerationBody:  # fmt: skip
        """Makes these the states after generation `number`; 409 where that is no longer current."""
        query = _of(dataset, namespace, contract_id)
        sent = self._send("POST", "/dataset/gate/generation", query=query, body=following)
        return self._answer(schemas.GenerationBody, sent)

    def bag(
        self, dataset: str, bag: str, *, namespace: str | None = None, contract_id: str | None = None
    ) -> bytes:  # fmt: skip
        """The packed states of that name."""
        query = {**_of(dataset, namespace, contract_id), "bag": bag}
        return self._send("GET", "/dataset/gate/bag", query=query).content

    def store_bag(self, content: bytes) -> str:
        """The name under which packed states, or a run, are kept for a generation to name them."""
        sent = self._request("POST", "/dataset/gate/bag", {"Content-Type": "application/octet-stream"}, content=content)
        return self._answer(schemas.StateBagOut, sent).bag

    def recover_publication(
        self, dataset: str, *, namespace: str | None = None, contract_id: str | None = None
    ) -> None:
        """Says that the open publication is settled; 409 where none is open."""
        self._send("POST", "/dataset/gate/recovered", query=_of(dataset, namespace, contract_id))


def _of(dataset: str, namespace: str | None, contract_id: str | None) -> dict[str, str | None]:
    return {"name": dataset, "namespace": namespace, "contract_id": contract_id}
