"""What people are told: one notice, and its words in a mail, in a chat and for a program; no values of data."""

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
    Verdict.FAILED: "the contract is violated",
    Verdict.NOT_EVALUATED: "the contract could not be evaluated",
    Verdict.WARNED: "there are warnings",
    Verdict.PASSED: "the contract is kept",
}


@dataclass(frozen=True, kw_only=True)
class Notification:
    """Something that people are told once: `kind` and `subject`, the id of what it is about, say whether they were.

    `title`: the verdict in one line. `table`: which one; '' for none. `details`: what failed, or what changes, in
    sentences without values. `next_step`: what to do. `page`: where it is shown, as `run?id=...`. `to`: users who are
    told beside those whom the kind concerns; `by`: the user who did it, and knows. `place`: where that is which no
    contract is about yet."""

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
        """What names the notice."""
        return f"{self.kind.value}/{self.subject}"


@dataclass(frozen=True, kw_only=True)
class RenderedNotice:
    """A notice as it is kept to be delivered, with the moment and the link of its page."""

    kind: str
    contract: str
    subject: str
    title: str
    table: str
    found: tuple[str, ...]
    next_step: str
    page: str
    time: str

    @classmethod
    def of(cls, notice: Notification, *, now: datetime) -> "RenderedNotice":
        """The notice as of that moment, cut to what people read."""
        lines = [_line(each) for each in notice.details[:MOST_LINES]]
        more = len(notice.details) - len(lines)
        return cls(
            kind=notice.kind.value,
            contract=notice.contract_id,
            subject=notice.subject,
            title=_line(notice.title),
            table=_line(notice.table),
            found=(*lines, f"and {more} more") if more > 0 else tuple(lines),
            next_step=_line(notice.next_step),
            page=notice.page,
            time=now.isoformat(),
        )

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> "RenderedNotice":
        """The notice as it was kept."""
        known = {name: payload[name] for name in cls.__dataclass_fields__}
        return cls(**{**known, "found": tuple(known["found"])})

    def at(self, pages: str) -> "RenderedNotice":
        """The same with the whole link, where the pages are at that address."""
        return replace(self, page=f"{pages.rstrip('/')}/{self.page}" if self.page else pages)


def violated(run: RunRow, results: Sequence[Result], *, subject: str) -> Notification:
    """That a run found a contract violated, or could not tell. `subject`: the incident that the run belongs to."""
    return Notification(
        kind=NotificationKind.VIOLATION,
        contract_id=run.contract_id,
        subject=subject,
        title=f"{run.contract_id} {run.version}: {VERDICTS[run.verdict]}",
        table=run.object,
        details=tuple(dict.fromkeys(map(_failure, filter(_is_bad, results)))) or (run.reason or "",),
        next_step="look at the run, and say that you deal with it",
        page=f"run?id={run.id}",
    )


def recovered(run: RunRow, *, subject: str) -> Notification:
    """That a contract is kept again. `subject`: the incident that ended."""
    return Notification(
        kind=NotificationKind.RECOVERY,
        contract_id=run.contract_id,
        subject=subject,
        title=f"{run.contract_id} {run.version}: {VERDICTS[run.verdict]} again",
        table=run.object,
        next_step="nothing is to be done",
        page=f"run?id={run.id}",
    )


def proposal_submitted(proposal: ProposalRow, *, by: UUID) -> Notification:
    """That a proposal is put before the owners."""
    return Notification(
        kind=NotificationKind.PROPOSAL,
        contract_id=proposal.contract_id,
        subject=str(proposal.id),
        title=f"{proposal.contract_id}: a proposal waits for its owners",
        details=(proposal.title,),
        next_step="review it, then approve or reject it",
        page=f"review?proposal={proposal.id}",
        by=by,
    )


def changes_asked(
    proposal: ProposalRow, comment: ProposalCommentRow, *, to: Collection[UUID], by: UUID
) -> Notification:
    """That an owner asks for changes of a proposal: who wrote it (`to`) is told, and who decides with them."""
    return Notification(
        kind=NotificationKind.DECISION,
        contract_id=proposal.contract_id,
        subject=str(comment.id),
        title=f"{proposal.contract_id}: changes of a proposal are asked for",
        details=(proposal.title, comment.text),
        next_step="change it, or answer in its discussion",
        page=f"review?proposal={proposal.id}",
        to=frozenset(to),
        by=by,
    )


def comment_added(proposal: ProposalRow, comment: ProposalCommentRow, *, to: Collection[UUID]) -> Notification:
    """That somebody said something about a proposal to those who take part in it."""
    return Notification(
        kind=NotificationKind.REVIEW,
        contract_id=proposal.contract_id,
        subject=str(comment.id),
        title=f"{proposal.contract_id}: something was said about a proposal",
        details=(proposal.title, comment.text),
        page=f"review?proposal={proposal.id}",
        to=frozenset(to),
        by=comment.author_id,
    )


def proposal_decided(
    proposal: ProposalRow, outcome: str, said: str | None = None, *, by: UUID, to: Collection[UUID] = ()
) -> Notification:
    """What became of a proposal: its author is told, too, and `to`. `said`: the words of who decided."""
    label = "summary" if outcome == "approved" else "reason"
    return Notification(
        kind=NotificationKind.DECISION,
        contract_id=proposal.contract_id,
        subject=str(proposal.id),
        title=f"{proposal.contract_id}: a proposal was {outcome}",
        details=(proposal.title, *([f"{label}: {said}"] if said else [])),
        page=f"review?proposal={proposal.id}",
        to=frozenset({proposal.author_id, *to}),
        by=by,
    )


def breaking(version: ContractVersionRow, breaks: Mapping[UUID, Sequence[str]], deadline: datetime) -> Notification:
    """That an approved version breaks consumers, by user why; they are asked to acknowledge it until the deadline."""
    return Notification(
        kind=NotificationKind.BREAKING,
        contract_id=version.contract_id,
        subject=str(version.id),
        title=f"{version.contract_id}: version {version.version} breaks {len(breaks)} consumer(s)",
        details=tuple(dict.fromkeys(why for each in breaks.values() for why in each)),
        next_step=f"acknowledge it, or object, until {deadline:%Y-%m-%d %H:%M} UTC",
        page=f"contract?id={quote(version.contract_id, safe='')}",
        to=frozenset(breaks),
    )


def lagging(subscription: SubscriptionRow, why: str, newest: str) -> Notification:
    """That a consumer's pin is behind what is in force; told once for each version that it is behind."""
    return Notification(
        kind=NotificationKind.LAG,
        contract_id=subscription.contract_id,
        subject=f"{subscription.id}/{subscription.pinned_to}/{newest}",
        title=f"{subscription.contract_id}: your pin is behind",
        details=(why, f"purpose: {subscription.purpose}"),
        next_step="move on to the version in force, or say that you stay",
        page=f"contract?id={quote(subscription.contract_id, safe='')}",
        to=frozenset({subscription.user_id}),
    )


def contract_requested(request: ContractRequestRow, author: str, place: Resource) -> Notification:
    """That somebody asks for a contract: whoever may decide about the dataset is told."""
    return Notification(
        kind=NotificationKind.REQUEST,
        contract_id="",
        subject=str(request.id),
        title=f"{author} asks for a contract of {request.name}",
        table=request.name,
        details=(request.purpose,),
        next_step="draft one, or decline",
        page=_page(request),
        by=request.author_id,
        place=place,
    )


def declined(request: ContractRequestRow, reason: str, place: Resource, *, by: UUID) -> Notification:
    """That a contract which was asked for will not be: who asked is told."""
    return Notification(
        kind=NotificationKind.REQUEST,
        contract_id="",
        subject=f"{request.id}/declined",
        title=f"no contract of {request.name} for now",
        table=request.name,
        details=(f"reason: {reason}",),
        page=_page(request),
        to=frozenset({request.author_id}),
        by=by,
        place=place,
    )


def trial(subject: str) -> Notification:
    """That a channel works."""
    return Notification(
        kind=NotificationKind.TEST,
        contract_id="",
        subject=subject,
        title="this channel works",
        next_step="nothing is to be done",
    )


def as_text(told: RenderedNotice) -> str:
    """The notice as a mail has it; `told.page` is the whole link."""
    named = (("Contract", told.contract), ("Table", told.table))
    facts = [f"{label}: {text}" for label, text in named if text]
    found = ["", *(f"- {each}" for each in told.found)] if told.found else []
    step = ["", f"Next: {told.next_step}"] if told.next_step else []
    return "\n".join([told.title, *([""] if facts else []), *facts, *found, *step, "", told.page, ""])


def as_chat(told: RenderedNotice) -> dict[str, Any]:
    """The notice as a chat takes it: Slack, and what understands its webhooks."""
    title, *rest = as_text(told).strip().split("\n")
    return {"text": "\n".join([f"*{_escaped(title)}*", *map(_escaped, rest)])}


def as_data(told: RenderedNotice) -> dict[str, Any]:
    """The notice for a program."""
    said = {"contract": told.contract, "subject": told.subject, "title": told.title, "table": told.table or None}
    more = {"found": list(told.found), "next_step": told.next_step or None, "link": told.page}
    return {"type": f"treaty.{told.kind}", "timestamp": told.time, "data": {**said, **more}}


def _page(request: ContractRequestRow) -> str:
    return f"lineage?node={quote(f'dataset:{request.namespace}:{request.name}', safe='')}"


def _is_bad(result: Result) -> bool:
    return result.outcome in (Outcome.FAILED, Outcome.NOT_EVALUATED)


def _failure(result: Result) -> str:
    how = "failed" if result.outcome is Outcome.FAILED else "could not be evaluated"
    mild = "" if result.severity == "error" else " (a warning)"
    return f"{result.name} {how}{mild}: {result.sentence}"


def _line(text: str) -> str:
    """The text as one line without control characters, which a mail's header could not have."""
    plain = "".join(each if each.isprintable() else " " for each in text).strip()
    return plain if len(plain) <= LONGEST_LINE else plain[: LONGEST_LINE - 3] + "..."


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
