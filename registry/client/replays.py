"""Calls about replays."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ReplaysApi(ApiTransport):
    """Replays: what a version would have found on all that is stored."""

    def replay(self, proposal_id: UUID) -> schemas.ReplayOut:
        """The proposal judged on stored states, beside the version in force."""
        return self._get(schemas.ReplayOut, f"/proposals/{proposal_id}/replay")

    def replay_document(self, contract_id: str, document: str) -> schemas.ReplayOut:
        """Any document judged as a version of the contract."""
        body = schemas.DocumentIn(document=document)
        response = self._request(
            "POST", "/contract/replay", params={"contract_id": contract_id}, json=body.model_dump(mode="json")
        )
        return self._answer(schemas.ReplayOut, response)

    def request_replay(self, asked: schemas.ReplayIn) -> schemas.TaskOut:
        """Asks a worker for a replay; the finished task's result is what `replay` answers."""
        return self._post(schemas.TaskOut, "/replays", asked)
