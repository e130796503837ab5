"""Print proposals and versions."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel
from rich.console import Console

from treaty.registry import schemas
from treaty.registry.cli.output.diffs import print_diff
from treaty.registry.cli.output.replays import print_replay
from treaty.registry.cli.output.tables import print_table, shown

SHOWN = 12


class ReviewBundle(BaseModel):
    """A proposal with its preview, differences, impact on consumers, and replay."""

    proposal: schemas.ProposalOut
    preview: schemas.PreviewOut
    diff: schemas.DiffOut
    impact: tuple[schemas.ConsumerImpactOut, ...]
    replay: schemas.ReplayOut


def print_proposal(proposal: schemas.ProposalOut, console: Console) -> None:
    """Print a proposal's title, state, missing approvals and requested changes."""
    console.print(shown(f"{proposal.title}, by {proposal.author}: {proposal.state.value.replace('_', ' ')}"))
    console.print(f"proposal {proposal.id}")
    _print_list(console, "still required", proposal.approvals_missing)
    _print_list(console, "requested changes", [f"{each.author}: {each.text}" for each in proposal.change_requests])


def print_inbox(inbox: schemas.InboxOut, console: Console) -> None:
    """Print the inbox list by list, or one sentence if it is empty; then snoozed proposals."""
    lists = {
        "to decide": [_proposed(each) for each in inbox.to_decide],
        "to change": [_proposed(each) for each in inbox.to_change],
        "waiting for others": [_proposed(each) for each in inbox.awaiting_others],
        "affecting you": [_proposed(each) for each in inbox.affecting],
        "acknowledgements": [
            f"{each.contract_id} {each.version}: {'; '.join(each.breaking_reasons)}" for each in inbox.acknowledgements
        ],
        "outdated pins": [
            f"{each.contract_id}, {each.purpose}: {each.outdated_reason}" for each in inbox.outdated_pins
        ],
        "contract requests": [f"{each.name}, by {each.author}: {each.purpose}" for each in inbox.contract_requests],
        "failed runs": [f"{each.contract_id} {each.version}: {each.object} ({each.id})" for each in inbox.failed_runs],
    }
    for title, lines in lists.items():
        _print_list(console, title, lines)
    if not any(lists.values()):
        console.print("Your inbox is empty.")
    _print_list(console, "snoozed", [_proposed(each) for each in inbox.snoozed])


def _proposed(row: schemas.ProposalSummaryOut) -> str:
    return f"{row.title}, by {row.author} ({row.id})"


def print_review(bundle: ReviewBundle, console: Console) -> None:
    """Print a proposal's changes, impact, replay, missing approvals, and the approve command."""
    print_proposal(bundle.proposal, console)
    console.print("\n[bold]changes[/]")
    if bundle.diff.old:
        print_diff(bundle.diff, console)
    else:
        console.print("This is the first version.")
    console.print("\n[bold]consumers[/]")
    _print_impact(bundle.impact, console)
    console.print("\n[bold]replay[/]")
    print_replay(bundle.replay, console)
    short_fingerprint = bundle.preview.fingerprint[:SHOWN]
    console.print(f"\nApprove with: treaty approve {bundle.proposal.id} --fingerprint {short_fingerprint}")


def _print_impact(impacts: Sequence[schemas.ConsumerImpactOut], console: Console) -> None:
    if not impacts:
        console.print("No subscriptions.")
    for each in impacts:
        effect = "; ".join(each.breaks) if each.breaks else "not affected"
        console.print(shown(f"{each.subscriber} ({each.purpose}): {effect}"))


def print_approved(result: schemas.ApprovalResultOut, console: Console) -> None:
    """Print the new version, or the approvals that are still missing."""
    if result.version:
        print_version(result.version, console)
    _print_list(console, "approved; still required", result.missing)


def print_version(version: schemas.VersionOut, console: Console) -> None:
    """Print the version, its state, and the reason for its end."""
    summary = f"version {version.version}: {version.state.value}"
    reason = f", reason: {version.reason}" if version.reason else ""
    successor = f"; use {version.successor_version}" if version.successor_version else ""
    console.print(shown(f"{summary}{reason}{successor}"))


def print_versions(contract: schemas.ContractOut, console: Console) -> None:
    """Print a line per version."""
    headings = ("version", "state", "group", "approved by", "approved", "in force from", "until")
    rows = [
        (
            each.version, each.state.value, each.group, each.approved_by, _moment(each.approved_at),
            _moment(each.activated_at or each.effective_from), _moment(each.ended_at or each.effective_until),
        )
        for each in contract.versions
    ]  # fmt: skip
    print_table(console, headings, rows, none="No versions yet.")


def print_comment(comment: schemas.CommentOut, console: Console) -> None:
    """Print a comment with its author."""
    console.print(shown(f"{comment.author} on revision {comment.revision}: {comment.text}"))


def _print_list(console: Console, title: str, lines: Sequence[str]) -> None:
    if lines:
        console.print(f"{title}:")
    for line in lines:
        console.print(f"  {shown(line)}", soft_wrap=True)


def _moment(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d %H:%M}" if time else "-"
