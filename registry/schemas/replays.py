"""Models of replays."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, model_validator

from treaty.registry.core.bounded_values import LookupText
from treaty.registry.schemas.base import ApiModel, ApiRequest

Document = Annotated[str, Field(min_length=1, max_length=262_144)]


class NameListOut(ApiModel):
    """Names of partitions or arrivals.

    - `count`: number of all names.
    - `names`: the first names."""

    count: int
    names: tuple[str, ...]


class NotEvaluatedOut(NameListOut):
    """Partitions or arrivals on which a check could not be evaluated, with the reason."""

    reason: str


class CheckOutcomeOut(ApiModel):
    """Results of a check of one version.

    - `unit`: unit of the counts: days, partitions or arrivals.
    - `evaluated`: number of units evaluated.
    - `not_applicable`: number of units without anything to measure.
    - `alerts`: units on which the check failed.
    - `not_evaluated`: reasons why units were not evaluated, with their number."""

    scope: str
    severity: str
    sentence: str
    unit: str
    evaluated: int
    not_applicable: int
    alerts: NameListOut
    not_evaluated: tuple[NotEvaluatedOut, ...]


class ReplayedCheckOut(ApiModel):
    """A check of the version in force (`old`) and of the proposed version (`new`).

    - `old`, `new`: null if the version has no check with this id.
    - `new_alerts`: alerts of the proposed version only.
    - `resolved_alerts`: alerts of the version in force only.
    - `unchanged_alerts`: alerts of both versions."""

    check_id: str
    name: str
    sentence: str
    old: CheckOutcomeOut | None
    new: CheckOutcomeOut | None
    new_alerts: NameListOut
    resolved_alerts: NameListOut
    unchanged_alerts: NameListOut


class ReplayedObjectOut(ApiModel):
    """The checks of an object, evaluated on its stored states.

    - `partitions`: number of partitions evaluated, of `stored` stored ones.
    - `days`: number of days that the partitions cover; null if they are not daily.
    - `stored`: number of partitions with stored states.
    - `checks`: results by check."""

    object: str
    sentence: str
    partitions: int
    stored: int
    days: int | None
    checks: tuple[ReplayedCheckOut, ...]


class DifferenceEvidenceOut(ApiModel):
    """A difference between two versions, with evidence from the stored partitions.

    It covers differences that the documents leave undetermined, and values that only one version allows.

    - `element`: the changed element.
    - `direction`: effect on the permitted data.
    - `evidence`: what the stored partitions show about it."""

    object: str | None
    column: str | None
    check_id: str | None
    element: str
    direction: str
    sentence: str
    evidence: str


class ReplayOut(ApiModel):
    """The results of a version on all stored states.

    - `old`: version in force to compare with; null if there is none. `new`: the replayed version.
    - `complete`: false if the time limit was reached; the results then cover the first partitions.
    - `milliseconds`: average time per partition.
    - `objects`: results by object.
    - `differences`: differences between the versions, with evidence from stored partitions."""

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
    """A replay of a proposal, or of a document as a version of a contract.

    - `merge_counts`: merge counts of values as well, which is slow.
    - `include_replaced`: evaluate replaced states as well, if they are still stored."""

    proposal_id: UUID | None = None
    contract_id: Annotated[LookupText, Field(max_length=500)] | None = None
    document: Document | None = None
    merge_counts: bool = True
    include_replaced: bool = False

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.proposal_id is None) == (self.document is None) or (self.document is None) != (
            self.contract_id is None
        ):
            raise ValueError("set either proposal_id, or document and contract_id")
        return self
