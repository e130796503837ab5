"""Client methods for replays."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ReplaysApi(ApiTransport):
    """Client methods for replays of versions on stored states."""

    def replay(self, proposal_id: UUID) -> schemas.ReplayOut:
        """Fetch the replay of a proposal on stored states, compared with the version in force."""
        return self._get(schemas.ReplayOut, f"/proposals/{proposal_id}/replay")

    def replay_document(self, contract_id: str, document: str) -> schemas.ReplayOut:
        """Replay a document as a version of the contract."""
        body = schemas.DocumentIn(document=document)
        response = self._request(
            "POST", "/contract/replay", params={"contract_id": contract_id}, json=body.model_dump(mode="json")
        )
        return self._answer(schemas.ReplayOut, response)

    def request_replay(self, replay: schemas.ReplayIn) -> schemas.TaskOut:
        """Start a replay task. The result of the finished task has the form that `replay` returns."""
        return self._post(schemas.TaskOut, "/replays", replay)
