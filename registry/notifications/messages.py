"""Build notifications and render them for mail, chat and webhooks. They contain no data values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias
from urllib.parse import quote
from uuid import UUID

from treaty.engine.core.results import CheckResult, Outcome, Verdict
from treaty.registry.access.permissions import Resource
from treaty.registry.core.enums import NotificationKind
from treaty.registry.tables import (
    CheckResultRow,
    ContractRequestRow,
    ContractVersionRow,
    ProposalCommentRow,
    ProposalRow,
    RunRow,
    SubscriptionRow,
)

Result: TypeAlias = CheckResult | CheckResultRow
MOST_LINES = 20
LONGEST_LINE = 300
VERDICTS = {
    Verdict.FAILED: "contract violated",
    Verdict.NOT_EVALUATED: "contract could not be evaluated",
    Verdict.UNCERTAIN: "estimates could not decide the contract",
    Verdict.WARNED: "contract satisfied with warnings",
    Verdict.PASSED: "contract satisfied",
}

# Outcomes that a notification lists.
OUTCOMES = {
    Outcome.FAILED: "failed",
    Outcome.NOT_EVALUATED: "could not be evaluated",
    Outcome.UNCERTAIN: "is uncertain",
}


@dataclass(frozen=True, kw_only=True)
class Notification:
    """A notification that is sent once per channel; `kind` and `subject` identify it.

    `subject`: id of the object it is about. `title`: summary in one line. `table`: object of the contract; '' for none.
    `details`: sentences about failures or changes, without values. `next_step`: what the recipient should do. `page`:
    path of its page, such as `run?id=...`. `to`: users to notify in addition to the audience of the kind. `by`: user
    who caused it and is not notified. `place`: resource of a dataset without a contract; None means the contract."""

    kind: NotificationKind
    contract_id: str
    subject: str
    title: str
    table: str = ""
    details: tuple[str, ...] = ()
    next_step: str = ""
    page: str = ""
    to: frozenset[UUID] = frozenset()
    by: UUID | None = None
    place: Resource | None = None

    @property
    def key(self) -> str:
        """Return the identity of the notification."""
        return f"{self.kind.value}/{self.subject}"


@dataclass(frozen=True, kw_only=True)
class RenderedNotice:
    """A notification as stored for delivery, with its time and the link to its page.

    `details`: the lines of the notification below its title."""

    kind: str
    contract: str
    subject: str
    title: str
    table: str
    details: tuple[str, ...]
    next_step: str
    page: str
    time: str

    @classmethod
    def of(cls, notice: Notification, *, now: datetime) -> "RenderedNotice":
        """Render the notification, truncated to readable length."""
        lines = [_line(each) for each in notice.details[:MOST_LINES]]
        more = len(notice.details) - len(lines)
        return cls(
            kind=notice.kind.value,
            contract=notice.contract_id,
            subject=notice.subject,
            title=_line(notice.title),
            table=_line(notice.table),
            details=(*lines, f"and {more} more") if more > 0 else tuple(lines),
            next_step=_line(notice.next_step),
            page=notice.page,
            time=now.isoformat(),
        )

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> "RenderedNotice":
        """Restore the notice from the stored payload."""
        fields = {name: payload[name] for name in cls.__dataclass_fields__}
        return cls(**{**fields, "details": tuple(fields["details"])})

    def at(self, pages: str) -> "RenderedNotice":
        """Return the notice with the absolute URL of its page."""
        return replace(self, page=f"{pages.rstrip('/')}/{self.page}" if self.page else pages)


def violated(run: RunRow, results: Sequence[Result], *, subject: str) -> Notification:
    """Build the notification of a violated or unevaluated contract.

    `subject`: id of the incident of the run."""
    return Notification(
        kind=NotificationKind.VIOLATION,
        contract_id=run.contract_id,
        subject=subject,
        title=f"{run.contract_id} {run.version}: {VERDICTS[run.verdict]}",
        table=run.object,
        details=tuple(dict.fromkeys(map(_failure, filter(_is_bad, results)))) or (run.reason or "",),
        next_step="Review the run and acknowledge the incident.",
        page=f"run?id={run.id}",
    )


def recovered(run: RunRow, *, subject: str) -> Notification:
    """Build the notification of a recovered contract. `subject`: id of the incident that ended."""
    return Notification(
        kind=NotificationKind.RECOVERY,
        contract_id=run.contract_id,
        subject=subject,
        title=f"{run.contract_id} {run.version}: recovered, {VERDICTS[run.verdict]}",
        table=run.object,
        next_step="No action required.",
        page=f"run?id={run.id}",
    )


def proposal_submitted(proposal: ProposalRow, *, by: UUID) -> Notification:
    """Build the notification of a proposal that was submitted to the owners."""
    return Notification(
        kind=NotificationKind.PROPOSAL,
        contract_id=proposal.contract_id,
        subject=str(proposal.id),
        title=f"{proposal.contract_id}: proposal ready for review",
        details=(proposal.title,),
        next_step="Review the proposal, then approve or reject it.",
        page=f"review?proposal={proposal.id}",
        by=by,
    )


def changes_asked(
    proposal: ProposalRow, comment: ProposalCommentRow, *, to: Collection[UUID], by: UUID
) -> Notification:
    """Build the notification of requested changes, for the author and co-deciders (`to`)."""
    return Notification(
        kind=NotificationKind.DECISION,
        contract_id=proposal.contract_id,
        subject=str(comment.id),
        title=f"{proposal.contract_id}: changes requested on a proposal",
        details=(proposal.title, comment.text),
        next_step="Edit the proposal or reply in its discussion.",
        page=f"review?proposal={proposal.id}",
        to=frozenset(to),
        by=by,
    )


def comment_added(proposal: ProposalRow, comment: ProposalCommentRow, *, to: Collection[UUID]) -> Notification:
    """Build the notification of a comment, for the participants of the proposal."""
    return Notification(
        kind=NotificationKind.REVIEW,
        contract_id=proposal.contract_id,
        subject=str(comment.id),
        title=f"{proposal.contract_id}: new comment on a proposal",
        details=(proposal.title, comment.text),
        page=f"review?proposal={proposal.id}",
        to=frozenset(to),
        by=comment.author_id,
    )


def proposal_decided(
    proposal: ProposalRow, outcome: str, comment: str | None = None, *, by: UUID, to: Collection[UUID] = ()
) -> Notification:
    """Build the notification of a decision, for the proposal's author and `to`.

    `comment`: comment of the decision."""
    label = "Summary" if outcome == "approved" else "Reason"
    return Notification(
        kind=NotificationKind.DECISION,
        contract_id=proposal.contract_id,
        subject=str(proposal.id),
        title=f"{proposal.contract_id}: proposal {outcome}",
        details=(proposal.title, *([f"{label}: {comment}"] if comment else [])),
        page=f"review?proposal={proposal.id}",
        to=frozenset({proposal.author_id, *to}),
        by=by,
    )


def breaking(version: ContractVersionRow, breaks: Mapping[UUID, Sequence[str]], deadline: datetime) -> Notification:
    """Build the notification of a version that breaks consumers and must be acknowledged.

    `breaks`: breaking changes by user. `deadline`: end of the acknowledgement period."""
    return Notification(
        kind=NotificationKind.BREAKING,
        contract_id=version.contract_id,
        subject=str(version.id),
        title=f"{version.contract_id}: version {version.version} breaks {_consumers(len(breaks))}",
        details=tuple(dict.fromkeys(why for each in breaks.values() for why in each)),
        next_step=f"Acknowledge the version or object by {deadline:%Y-%m-%d %H:%M} UTC.",
        page=f"contract?id={quote(version.contract_id, safe='')}",
        to=frozenset(breaks),
    )


def lagging(subscription: SubscriptionRow, why: str, newest: str) -> Notification:
    """Build the notification of an outdated pin, which is sent once per version.

    `newest`: the version in force."""
    return Notification(
        kind=NotificationKind.LAG,
        contract_id=subscription.contract_id,
        subject=f"{subscription.id}/{subscription.pinned_to}/{newest}",
        title=f"{subscription.contract_id}: your pin is outdated",
        details=(why, f"Purpose: {subscription.purpose}"),
        next_step="Update your pin to the version in force, or keep it for now.",
        page=f"contract?id={quote(subscription.contract_id, safe='')}",
        to=frozenset({subscription.user_id}),
    )


def contract_requested(request: ContractRequestRow, author: str, place: Resource) -> Notification:
    """Build the notification of a contract request, for those who may decide about the dataset."""
    return Notification(
        kind=NotificationKind.REQUEST,
        contract_id="",
        subject=str(request.id),
        title=f"{author} requests a contract for {request.name}",
        table=request.name,
        details=(request.purpose,),
        next_step="Draft a contract or decline the request.",
        page=_page(request),
        by=request.author_id,
        place=place,
    )


def declined(request: ContractRequestRow, reason: str, place: Resource, *, by: UUID) -> Notification:
    """Build the notification of a declined contract request, for its author."""
    return Notification(
        kind=NotificationKind.REQUEST,
        contract_id="",
        subject=f"{request.id}/declined",
        title=f"Contract request for {request.name} declined",
        table=request.name,
        details=(f"Reason: {reason}",),
        page=_page(request),
        to=frozenset({request.author_id}),
        by=by,
        place=place,
    )


def trial(subject: str) -> Notification:
    """Build a test notification for a channel."""
    return Notification(
        kind=NotificationKind.TEST,
        contract_id="",
        subject=subject,
        title="Test notification: this channel works",
        next_step="No action required.",
    )


def as_text(notice: RenderedNotice) -> str:
    """Render the notice as mail text. Its page must be an absolute URL."""
    labels = (("Contract", notice.contract), ("Table", notice.table))
    facts = [f"{label}: {text}" for label, text in labels if text]
    lines = ["", *(f"- {each}" for each in notice.details)] if notice.details else []
    step = ["", f"Next step: {notice.next_step}"] if notice.next_step else []
    return "\n".join([notice.title, *([""] if facts else []), *facts, *lines, *step, "", notice.page, ""])


def as_chat(notice: RenderedNotice) -> dict[str, Any]:
    """Render the notice for Slack and compatible webhooks."""
    title, *rest = as_text(notice).strip().split("\n")
    return {"text": "\n".join([f"*{_escaped(title)}*", *map(_escaped, rest)])}


def as_data(notice: RenderedNotice) -> dict[str, Any]:
    """Render the notice as JSON for webhooks."""
    fields = {
        "contract": notice.contract,
        "subject": notice.subject,
        "title": notice.title,
        "table": notice.table or None,
    }
    extra = {"details": list(notice.details), "next_step": notice.next_step or None, "link": notice.page}
    return {"type": f"treaty.{notice.kind}", "timestamp": notice.time, "data": {**fields, **extra}}


def _consumers(count: int) -> str:
    return f"{count:,} consumer" if count == 1 else f"{count:,} consumers"


def _page(request: ContractRequestRow) -> str:
    return f"lineage?node={quote(f'dataset:{request.namespace}:{request.name}', safe='')}"


def _is_bad(result: Result) -> bool:
    return result.outcome in OUTCOMES


def _failure(result: Result) -> str:
    suffix = "" if result.severity == "error" else " (warning)"
    return f"{result.name} {OUTCOMES[result.outcome]}{suffix}: {result.sentence}"


def _line(text: str) -> str:
    """Return the text as one line without control characters, which are invalid in mail headers."""
    plain = "".join(each if each.isprintable() else " " for each in text).strip()
    return plain if len(plain) <= LONGEST_LINE else plain[: LONGEST_LINE - 3] + "..."


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
