"""Calls about fits of programs, and about what people say of single points."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import FeedbackKind


class FitsApi(ApiTransport):
    """What is learned beside a version, and what people say of the data that it is learned from."""

    def fits(self, contract_id: str, object_name: str, check: str | None = None) -> list[schemas.FitOut]:
        """The fits of the object's programs, newest first."""
        chosen = {"check_id": check} if check else {}
        return self._get(list[schemas.FitOut], "/fits", contract_id=contract_id, object=object_name, **chosen)

    def feedback(self, contract_id: str, object_name: str) -> list[schemas.FeedbackOut]:
        """What people said of the object's data, newest first."""
        return self._get(list[schemas.FeedbackOut], "/feedback", contract_id=contract_id, object=object_name)

    def give_feedback(self, run_id: UUID, partition: str | None, mark: FeedbackKind, why: str) -> schemas.FeedbackOut:
        """Says what the data of a partition were that the run judged."""
        body = schemas.FeedbackIn(run_id=run_id, partition=partition, kind=mark, reason=why)
        return self._post(schemas.FeedbackOut, "/feedback", body)

    def preview_feedback(
        self, check: str, run_id: UUID, partition: str | None, mark: FeedbackKind
    ) -> schemas.FeedbackPreviewOut:
        """What that word would change of the check; nothing is stored."""
        body = schemas.FeedbackPreviewIn(check_id=check, run_id=run_id, partition=partition, kind=mark)
        return self._post(schemas.FeedbackPreviewOut, "/feedback/preview", body)
