"""Client methods for the lineage graph, the impact of bad data, and inferred consumers."""

from collections.abc import Sequence
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class GraphApi(ApiTransport):
    """Client methods for the lineage graph."""

    def lineage(self, node_id: str, *, depth: int | None = None) -> schemas.GraphOut:
        """Fetch the graph around a node, `dataset:{namespace}:{name}` or `job:{namespace}:{name}`.

        `depth`: None means the default depth of the service."""
        return self._get(schemas.GraphOut, "/lineage", nodeId=node_id, depth=depth)

    def downstream_impact(
        self, name: str, *, namespace: str | None = None, columns: Sequence[str] | None = None
    ) -> schemas.DownstreamImpactOut:
        """Fetch the downstream impact of bad data in a dataset.

        `columns`: the bad columns; None means all."""
        named = list(columns) if columns else None
        return self._get(schemas.DownstreamImpactOut, "/dataset/impact", name=name, namespace=namespace, column=named)

    def incident_impact(self, incident_id: UUID) -> schemas.DownstreamImpactOut:
        """Fetch the downstream impact of an incident."""
        return self._get(schemas.DownstreamImpactOut, f"/incidents/{incident_id}/impact")

    def upstream(self, contract_id: str) -> list[schemas.UpstreamIncidentOut]:
        """List upstream incidents that affect the datasets of a contract."""
        return self._get(list[schemas.UpstreamIncidentOut], "/contract/upstream", contract_id=contract_id)

    def inferred_consumers(self, contract_id: str) -> list[schemas.InferredConsumerOut]:
        """List jobs outside the producers' namespaces that read the contract's data according to lineage."""
        return self._get(list[schemas.InferredConsumerOut], "/contract/inferred-consumers", contract_id=contract_id)

    def confirm_inferred_consumer(self, contract_id: str, job_namespace: str, job_name: str) -> schemas.SubscriptionOut:
        """Subscribe the caller to the data that one of their jobs reads."""
        body = schemas.InferredConsumerIn(contract_id=contract_id, job_namespace=job_namespace, job_name=job_name)
        return self._post(schemas.SubscriptionOut, "/contract/inferred-consumers/confirm", body)

    def dismiss_inferred_consumer(
        self, contract_id: str, job_namespace: str, job_name: str
    ) -> schemas.InferredConsumerOut:
        """Dismiss the job as a consumer."""
        body = schemas.InferredConsumerIn(contract_id=contract_id, job_namespace=job_namespace, job_name=job_name)
        return self._post(schemas.InferredConsumerOut, "/contract/inferred-consumers/dismiss", body)
