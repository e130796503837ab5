"""Replays, as the API takes and gives them."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, model_validator

from treaty.registry.schemas.base import ApiModel, ApiRequest

Document = Annotated[str, Field(min_length=1, max_length=262_144)]


class NameListOut(ApiModel):
    """Names of partitions or arrivals: how many, and the first of them."""

    count: int
    names: tuple[str, ...]


class NotEvaluatedOut(NameListOut):
    """Those on which a check could not be judged, for that reason."""

    reason: str


class CheckOutcomeOut(ApiModel):
    """How a check of one version comes out. `unit`: what it is counted in: days, partitions, or arrivals.

    `evaluated`: on how many it is; `not_applicable`: on how many there is nothing to measure."""

    scope: str
    severity: str
    sentence: str
    unit: str
    evaluated: int
    not_applicable: int
    alerts: NameListOut
    not_evaluated: tuple[NotEvaluatedOut, ...]


class ReplayedCheckOut(ApiModel):
    """A check of the version in force (`old`) and of the proposed one (`new`); null: that version has none of its id.

    `new_alerts`: where only the new one alerts, `resolved_alerts`: only the old one, `unchanged_alerts`: both."""

    check_id: str
    name: str
    sentence: str
    old: CheckOutcomeOut | None
    new: CheckOutcomeOut | None
    new_alerts: NameListOut
    resolved_alerts: NameListOut
    unchanged_alerts: NameListOut


class ReplayedObjectOut(ApiModel):
    """An object's checks on its stored states: `partitions` were judged of the `stored` ones, which are so many `days`
    (null: not each partition is of one)."""

    object: str
    sentence: str
    partitions: int
    stored: int
    days: int | None
    checks: tuple[ReplayedCheckOut, ...]


class DifferenceEvidenceOut(ApiModel):
    """A difference between the two versions, and what the stored partitions say of it: of what the texts leave open
    (`direction` undetermined), and of what one of them permits and the other does not."""

    object: str | None
    column: str | None
    check_id: str | None
    element: str
    direction: str
    sentence: str
    evidence: str


class ReplayOut(ApiModel):
    """What a version would have found on all that is stored, beside what the version in force (`old`) does.

    Not `complete`: the time was over; judged are the partitions that came first. `milliseconds`: of each partition."""

    contract_id: str
    old: str | None
    new: str
    complete: bool
    milliseconds: float | None
    objects: tuple[ReplayedObjectOut, ...]
    differences: tuple[DifferenceEvidenceOut, ...]


class DocumentIn(ApiRequest):
    """A contract document as text."""

    document: Document


class ReplayIn(ApiRequest):
    """What a worker shall replay: a proposal, or a document as a version of the contract of that id.

    `merge_counts`: counts of values are merged too, which takes long. `include_replaced`: states that were replaced
    since are judged too, as far as they are kept."""

    proposal_id: UUID | None = None
    contract_id: Annotated[str, Field(max_length=500)] | None = None
    document: Document | None = None
    merge_counts: bool = True
    include_replaced: bool = False

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.proposal_id is None) == (self.document is None) or (self.document is None) != (
            self.contract_id is None
        ):
            raise ValueError("name a proposal_id, or a document and the contract_id that it is a version of")
        return self
