"""Client methods for fits of programs and feedback on data points."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import FeedbackKind


class FitsApi(ApiTransport):
    """Client methods for fits of programs and feedback on data points."""

    def fits(self, contract_id: str, object_name: str, check: str | None = None) -> list[schemas.FitOut]:
        """List the fits of an object's programs, newest first. `check` None lists all checks."""
        chosen = {"check_id": check} if check else {}
        return self._get(list[schemas.FitOut], "/fits", contract_id=contract_id, object=object_name, **chosen)

    def feedback(self, contract_id: str, object_name: str) -> list[schemas.FeedbackOut]:
        """List the feedback on an object's data, newest first."""
        return self._get(list[schemas.FeedbackOut], "/feedback", contract_id=contract_id, object=object_name)

    def give_feedback(self, run_id: UUID, partition: str | None, mark: FeedbackKind, why: str) -> schemas.FeedbackOut:
        """Record feedback on a partition that the run validated; None means all partitions together."""
        body = schemas.FeedbackIn(run_id=run_id, partition=partition, kind=mark, reason=why)
        return self._post(schemas.FeedbackOut, "/feedback", body)

    def preview_feedback(
        self, check: str, run_id: UUID, partition: str | None, mark: FeedbackKind
    ) -> schemas.FeedbackPreviewOut:
        """Preview the effect of feedback on a check without storing it."""
        body = schemas.FeedbackPreviewIn(check_id=check, run_id=run_id, partition=partition, kind=mark)
        return self._post(schemas.FeedbackPreviewOut, "/feedback/preview", body)
