"""Convert rows into response models. Pure functions: callers pass all data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.browse.contract_list import ContractListing
from treaty.registry.contracts import subscriptions
from treaty.registry.core.enums import Decision, Permission
from treaty.registry.core.metric_point import MetricPoint
from treaty.registry.core.pagination import RowPage
from treaty.registry.core.state_machines import PROPOSAL
from treaty.registry.datasets.names import location
from treaty.registry.incidents.actions import IncidentListing
from treaty.registry.measurements.runs.history import SHOWN_COLUMNS, RunReport
from treaty.registry.review.approval.approval import may_approve
from treaty.registry.review.consumers import acknowledgements
from treaty.registry.review.proposals import change_requests, contract_requests, suggestion_decisions
from treaty.registry.review.proposals.change_requests import may_ask
from treaty.registry.review.proposals.proposal_list import ProposalListing
from treaty.registry.tables import (
    ContractVersionRow,
    DatasetRow,
    IncidentObjectRow,
    ProposalApprovalRow,
    ProposalCommentRow,
    ProposalSuggestionRow,
    RunRow,
    UserRow,
)

Row = TypeVar("Row")
Item = TypeVar("Item")


def page(shown: Callable[[Row], Item], portion: RowPage[Row]) -> schemas.Page[Item]:
    """Return a page with each row converted by `shown`."""
    return schemas.Page(items=tuple(map(shown, portion.rows)), next=portion.next)


def me(user: UserRow, principal: Principal) -> schemas.CurrentUserOut:
    """Return the user with the permissions of the current session or token."""
    granted = [
        schemas.ScopedGrantOut(scope=each.part, target=each.target, permissions=tuple(sorted(each.permissions)))
        for each in principal.granted
    ]
    user_out, permissions = schemas.UserOut.model_validate(user), tuple(sorted(principal.permissions))
    return schemas.CurrentUserOut(user=user_out, permissions=permissions, grants=tuple(granted))


def proposal_summary(listed: ProposalListing, by: Principal) -> schemas.ProposalSummaryOut:
    """Return the proposal as shown in lists."""
    return schemas.ProposalSummaryOut(**_summary_of(listed, by))


def proposal_summaries(proposals: Iterable[ProposalListing], by: Principal) -> tuple[schemas.ProposalSummaryOut, ...]:
    """Return the proposals as shown in lists."""
    return tuple(proposal_summary(each, by) for each in proposals)


@dataclass(frozen=True)
class ProposalReview:
    """Progress of a review: approvals with names, authors, and missing requirements."""

    approvals: Sequence[tuple[ProposalApprovalRow, str]]
    writers: frozenset[UUID]
    missing: tuple[str, ...]
    active_version: str | None


def proposal(
    listed: ProposalListing,
    suggestions: Sequence[ProposalSuggestionRow],
    review: ProposalReview,
    *,
    names: Mapping[UUID, str],
    by: Principal,
) -> schemas.ProposalOut:
    """Return the proposal with its suggestions and the actions that `by` can take."""
    row = listed.proposal
    return schemas.ProposalOut(
        **_summary_of(listed, by),
        **_permitted(listed, review, by),
        comment=row.comment,
        reason=row.reason,
        decided_by=names.get(row.decided_by_id) if row.decided_by_id else None,
        decided_at=row.decided_at,
        task_id=row.task_id,
        source=row.source,
        active_version=review.active_version,
        effective_from=row.effective_from,
        effective_until=row.effective_until,
        approvals_given=tuple(approval(each, name) for each, name in review.approvals),
        approvals_missing=review.missing,
        suggestions=tuple(suggestion(each, names) for each in suggestions),
    )


def suggestion(row: ProposalSuggestionRow, names: Mapping[UUID, str]) -> schemas.SuggestionOut:
    """Return the suggestion with the name of the user who decided."""
    decided_by = names.get(row.decided_by_id) if row.decided_by_id else None
    # `model_dump` would copy all the evidence.
    fields = {name: getattr(row, name) for name in schemas.SuggestionOut.model_fields if name != "decided_by"}
    return schemas.SuggestionOut(**fields, decided_by=decided_by)


def approval(row: ProposalApprovalRow, approver: str) -> schemas.ApprovalOut:
    """Return the approval with the approver's name."""
    return schemas.ApprovalOut(**row.model_dump(include=set(schemas.ApprovalOut.model_fields)), approver=approver)


def comment(row: ProposalCommentRow, author: str) -> schemas.CommentOut:
    """Return the comment with the author's name."""
    return schemas.CommentOut(**row.model_dump(include=set(schemas.CommentOut.model_fields)), author=author)


def version(row: ContractVersionRow, approved_by: str) -> schemas.VersionOut:
    """Return the version with the name of its last approver."""
    return schemas.VersionOut(**row.model_dump(include=set(schemas.VersionOut.model_fields)), approved_by=approved_by)


def contract_summary(listed: ContractListing) -> schemas.ContractSummaryOut:
    """Return the contract as shown in lists."""
    last = schemas.RunSummaryOut.model_validate(listed.last_run) if listed.last_run else None
    return schemas.ContractSummaryOut(
        **listed.contract.model_dump(include={"id", "name", "active_version", "created_at"}),
        owner=listed.owner,
        last_run=last,
        open_proposals=listed.open_proposals,
        upstream_failed=listed.upstream_failed,
    )


def contract(
    listed: ContractListing,
    versions: Sequence[tuple[ContractVersionRow, str]],
    datasets: Sequence[tuple[DatasetRow, str]],
    runs: Sequence[RunRow],
) -> schemas.ContractOut:
    """Return the contract with its versions, datasets and last runs."""
    return schemas.ContractOut(
        **dict(contract_summary(listed)),
        versions=tuple(version(row, name) for row, name in versions),
        datasets=tuple(dataset(each, name) for each, name in datasets),
        runs=tuple(map(schemas.RunSummaryOut.model_validate, runs)),
    )


def dataset(row: DatasetRow, object_name: str) -> schemas.DatasetOut:
    """Return the dataset with the name of the contract object about it."""
    return schemas.DatasetOut(**row.model_dump(include=set(schemas.DatasetOut.model_fields)), object=object_name)


def run(report: RunReport) -> schemas.RunOut:
    """Return the report of a run."""
    return schemas.RunOut(
        **dict(schemas.RunSummaryOut.model_validate(report.run)),
        **report.run.model_dump(
            include={"fingerprint", "task_id", "dataset_fingerprint", "detection_method", "read_version"}
        ),
        dataset=dataset(report.dataset, report.run.object) if report.dataset else None,
        lineage_run=report.lineage_run,
        results=tuple(map(schemas.CheckResultOut.model_validate, report.results)),
        history={metric: tuple(map(_without_details, rows)) for metric, rows in report.history.items()},
    )


def contract_request(listed: contract_requests.ContractRequestListing, by: Principal) -> schemas.ContractRequestOut:
    """Return the request with the principal's relation to it."""
    row = listed.request
    return schemas.ContractRequestOut(
        **row.model_dump(exclude={"author_id", "ended_at", "reason"}),
        location=location(row.namespace, row.name),
        author=listed.author,
        is_own=row.author_id == by.user_id,
        can_decide=listed.can_decide,
    )


def subscription(listed: subscriptions.SubscriptionListing, by: Principal) -> schemas.SubscriptionOut:
    """Return the subscription, marked if the principal may change it."""
    row = listed.subscription
    return schemas.SubscriptionOut(
        **row.model_dump(exclude={"user_id", "team_id"}),
        subscriber=listed.subscriber,
        team=row.team_id is not None,
        checks=listed.checks,
        outdated_reason=listed.lagging,
        is_own=by.user_id in listed.holders,
    )


def acknowledgement(listed: acknowledgements.AcknowledgementListing) -> schemas.AcknowledgementOut:
    """Return the acknowledgement of a version by a consumer."""
    columns = {"id", "subscription_id", "breaking_reasons", "state", "requested_at", "due_at", "comment", "answered_at"}
    return schemas.AcknowledgementOut(
        **listed.row.model_dump(include=columns),
        contract_id=listed.version.contract_id,
        version=listed.version.version,
        subscriber=listed.subscriber,
        purpose=listed.subscription.purpose,
    )


def _without_details(point: MetricPoint) -> schemas.MeasurementOut:
    """Return the measurement without its distribution, which a line chart does not need."""
    fields = {name: getattr(point, name) for name in SHOWN_COLUMNS}
    return schemas.MeasurementOut(**{**fields, "details": None})


def _summary_of(listed: ProposalListing, by: Principal) -> dict[str, Any]:
    columns = {"id", "contract_id", "title", "state", "revision", "created_at"}
    counts = {each.value: listed.counts.get(each, 0) for each in Decision}
    review = {
        "approvals": len(listed.approvers),
        "voided_approvals": by.user_id in listed.voided,
        "author": listed.author,
    }
    review["assignee"] = listed.assignee
    requests = {"change_requests": tuple(_changes(each, by) for each in listed.requests)}
    return {**listed.proposal.model_dump(include=columns), **counts, **review, **requests}


def _changes(listed: change_requests.ChangeRequestListing, by: Principal) -> schemas.ChangeRequestOut:
    fields = listed.comment.model_dump(include={"revision", "text", "created_at"})
    return schemas.ChangeRequestOut(**fields, author=listed.author, is_own=listed.request.author_id == by.user_id)


def _permitted(listed: ProposalListing, review: ProposalReview, by: Principal) -> dict[str, Any]:
    row = listed.proposal
    resource = visibility.proposal_resource(row)
    own = row.author_id == by.user_id and by.may(Permission.PROPOSE, resource)
    requesters = {each.request.author_id for each in listed.requests}
    return {
        "may_decide": suggestion_decisions.may_judge(row, by),
        "may_comment": by.may(Permission.PROPOSE, resource),
        "may_edit": suggestion_decisions.may_judge(row, by),
        "may_submit": own and row.state in PROPOSAL.states_allowing("submit"),
        "may_approve": may_approve(row, by, writers=review.writers, approvers=listed.approvers),
        "may_request": may_ask(row, by, writers=review.writers, asking=requesters),
        "may_reject": row.state in PROPOSAL.states_allowing("reject") and by.may(Permission.DECIDE, resource),
        "may_withdraw": own and row.state in PROPOSAL.states_allowing("withdraw"),
    }


def incident(incident: IncidentListing) -> schemas.IncidentOut:
    """Return the incident with those failing checks that may be read."""
    fields = incident.incident.model_dump(
        exclude={"dataset_id", "data_version", "acknowledged_by_id", "assignee_id", "resolved_by_id"}
    )
    return schemas.IncidentOut(
        **fields,
        assignee=incident.assignee,
        acknowledged_by=incident.acknowledged_by,
        resolved_by=incident.resolved_by,
        objects=tuple(map(_part, incident.parts)),
    )


def _part(part: IncidentObjectRow) -> schemas.IncidentObjectOut:
    failing = tuple(schemas.FailingCheckOut(check=str(check), partition=at) for check, at in part.failing_checks)
    fields = part.model_dump(exclude={"incident_id", "failing_checks", "violations", "active"})
    return schemas.IncidentObjectOut(**fields, active=bool(part.active), failing_checks=failing)
