"""Client methods for stored states: metrics, inventory, reruns and erasure."""

from collections.abc import Sequence
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class StatesApi(ApiTransport):
    """Client methods for stored states: metrics, inventory, reruns and erasure."""

    def metrics(
        self, dataset: str, *, where: str | None = None, metrics: Sequence[str] = (), namespace: str | None = None,
        contract_id: str | None = None,
    ) -> schemas.MetricsOut:  # fmt: skip
        """Compute metrics of the selected partitions from stored states.

        `where`: condition on partitions; None selects all. `metrics`: empty means the metrics of the contract."""
        query = {"name": dataset, "namespace": namespace, "where": where, "metric": list(metrics)}
        query["contract_id"] = contract_id
        return self._get(schemas.MetricsOut, "/dataset/metrics", **query)

    def states(
        self, dataset: str, *, where: str | None = None, metrics: Sequence[str] = (), namespace: str | None = None,
        contract_id: str | None = None,
    ) -> schemas.StatesOut:  # fmt: skip
        """List the stored states of the selected partitions, and the cost of merging the metrics.

        `where`: condition on partitions; None selects all. `metrics`: empty means the metrics of the contract."""
        query = {"name": dataset, "namespace": namespace, "where": where, "metric": list(metrics)}
        query["contract_id"] = contract_id
        return self._get(schemas.StatesOut, "/dataset/states", **query)

    def rerun(self, run_id: UUID) -> schemas.RerunOut:
        """Re-evaluate a run on its stored states and return the differences."""
        return self._get(schemas.RerunOut, f"/runs/{run_id}/rerun")

    def erase(
        self, dataset: str, *, partitions: Sequence[str] = (), namespace: str | None = None
    ) -> schemas.ErasureOut:
        """Erase the stored data of a dataset: states, samples and values.

        `partitions`: only these partitions; empty erases the whole dataset."""
        query = {"name": dataset, "namespace": namespace, "partition": list(partitions)}
        return self._answer(schemas.ErasureOut, self._send("DELETE", "/dataset/states", query=query))
