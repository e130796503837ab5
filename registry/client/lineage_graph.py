"""Calls about the lineage graph: what lies around a dataset, what bad data do in it, and who reads it."""

from collections.abc import Sequence
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class GraphApi(ApiTransport):
    """The lineage graph."""

    def lineage(self, node_id: str, *, depth: int | None = None) -> schemas.GraphOut:
        """The graph around a node, `dataset:{namespace}:{name}` or `job:{namespace}:{name}`."""
        return self._get(schemas.GraphOut, "/lineage", nodeId=node_id, depth=depth)

    def downstream_impact(
        self, name: str, *, namespace: str | None = None, columns: Sequence[str] | None = None
    ) -> schemas.DownstreamImpactOut:
        """What lies downstream of a dataset, and what bad data made of it."""
        named = list(columns) if columns else None
        return self._get(schemas.DownstreamImpactOut, "/dataset/impact", name=name, namespace=namespace, column=named)

    def incident_impact(self, incident_id: UUID) -> schemas.DownstreamImpactOut:
        """What the bad data of an incident came to."""
        return self._get(schemas.DownstreamImpactOut, f"/incidents/{incident_id}/impact")

    def upstream(self, contract_id: str) -> list[schemas.UpstreamIncidentOut]:
        """What bad data came to a contract's datasets from further up."""
        return self._get(list[schemas.UpstreamIncidentOut], "/contract/upstream", contract_id=contract_id)

    def inferred_consumers(self, contract_id: str) -> list[schemas.InferredConsumerOut]:
        """Jobs of others that were seen reading a contract's data."""
        return self._get(list[schemas.InferredConsumerOut], "/contract/inferred-consumers", contract_id=contract_id)

    def confirm_inferred_consumer(self, contract_id: str, job_namespace: str, job_name: str) -> schemas.SubscriptionOut:
        """Subscribes one to what that job of one's own reads."""
        body = schemas.InferredConsumerIn(contract_id=contract_id, job_namespace=job_namespace, job_name=job_name)
        return self._post(schemas.SubscriptionOut, "/contract/inferred-consumers/confirm", body)

    def dismiss_inferred_consumer(
        self, contract_id: str, job_namespace: str, job_name: str
    ) -> schemas.InferredConsumerOut:
        """Says that the job is no consumer."""
        body = schemas.InferredConsumerIn(contract_id=contract_id, job_namespace=job_namespace, job_name=job_name)
        return self._post(schemas.InferredConsumerOut, "/contract/inferred-consumers/dismiss", body)
