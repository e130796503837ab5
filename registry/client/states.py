"""Calls about memory: metrics and states of chosen partitions, reruns, erasing."""

from collections.abc import Sequence
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class StatesApi(ApiTransport):
    """Memory: metrics and states of chosen partitions, reruns, erasing."""

    def metrics(
        self, dataset: str, *, where: str | None = None, metrics: Sequence[str] = (), namespace: str | None = None,
        contract_id: str | None = None,
    ) -> schemas.MetricsOut:  # fmt: skip
        """What stored states say of the metrics (those of the contract where none is named) of chosen partitions."""
        query = {"name": dataset, "namespace": namespace, "where": where, "metric": list(metrics)}
        query["contract_id"] = contract_id
        return self._get(schemas.MetricsOut, "/dataset/metrics", **query)

    def states(
        self, dataset: str, *, where: str | None = None, metrics: Sequence[str] = (), namespace: str | None = None,
        contract_id: str | None = None,
    ) -> schemas.StatesOut:  # fmt: skip
        """What is stored of each chosen partition, and what a question about those metrics would merge."""
        query = {"name": dataset, "namespace": namespace, "where": where, "metric": list(metrics)}
        query["contract_id"] = contract_id
        return self._get(schemas.StatesOut, "/dataset/states", **query)

    def rerun(self, run_id: UUID) -> schemas.RerunOut:
        """The run done again from the states that it judged, and what comes out otherwise."""
        return self._get(schemas.RerunOut, f"/runs/{run_id}/rerun")

    def erase(
        self, dataset: str, *, partitions: Sequence[str] = (), namespace: str | None = None
    ) -> schemas.ErasureOut:
        """Erases what is remembered of the dataset, or of these partitions: states, samples, values."""
        query = {"name": dataset, "namespace": namespace, "partition": list(partitions)}
        return self._answer(schemas.ErasureOut, self._send("DELETE", "/dataset/states", query=query))
