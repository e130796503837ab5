"""Commands for proposals and versions: propose, review, decide, discuss and retire."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service

if TYPE_CHECKING:
    from treaty.registry import schemas
    from treaty.registry.client import Client

SHORTEST = 8
Document = Annotated[Path, typer.Argument(metavar="FILE", help="Contract document", show_default=False)]
ProposalArgument = Annotated[
    str,
    typer.Argument(
        metavar="PROPOSAL", help="Proposal id, or the contract if it has only one open proposal", show_default=False
    ),
]
ContractName = Annotated[str, typer.Argument(metavar="CONTRACT", help="Contract id", show_default=False)]
Number = Annotated[str, typer.Argument(metavar="VERSION", help="Version number", show_default=False)]
Title = Annotated[str | None, typer.Option(help="Title; by default the contract's name and version")]
Comment = Annotated[str | None, typer.Option(help="Comment for the discussion")]
Draft = Annotated[bool, typer.Option("--draft", help="Create a draft without submitting it for review")]
Reason = Annotated[str, typer.Option(help="Reason", show_default=False)]
FingerprintOption = Annotated[
    str, typer.Option("--fingerprint", help="Fingerprint shown by `treaty review`, or its prefix", show_default=False)
]
Successor = Annotated[str | None, typer.Option(help="Version to use instead")]
Text = Annotated[str, typer.Argument(help="Text", show_default=False)]


def propose(
    file: Document, title: Title = None, comment: Comment = None, draft: Draft = False, as_json: Json = False
) -> None:
    """Propose a contract document as the next version. Owners decide; you cannot approve your own proposal."""
    from treaty.registry.cli.output.proposals import print_proposal

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"Cannot read {file} as text: {type(error).__name__}") from None
    with service.open_client() as registry:
        proposal = registry.propose(text, title=title, comment=comment, submit=not draft)
    service.print_result(proposal, print_proposal, as_json=as_json)


def inbox(as_json: Json = False) -> None:
    """Show proposals and other items that need your attention or affect you."""
    from treaty.registry.cli.output.proposals import print_inbox

    with service.open_client() as registry:
        inbox_page = registry.inbox()
    service.print_result(inbox_page, print_inbox, as_json=as_json)


def review(proposal: ProposalArgument, as_json: Json = False) -> None:
    """Show a proposal's changes, affected consumers, replay and missing approvals."""
    from treaty.registry.cli.output.proposals import ReviewBundle, print_review

    with service.open_client() as registry:
        row = registry.proposal(_id(registry, proposal))
        bundle = ReviewBundle(
            proposal=row,
            preview=registry.preview(row.id),
            diff=registry.proposal_diff(row.id),
            impact=tuple(registry.impact(row.id)),
            replay=registry.replay(row.id),
        )
    service.print_result(bundle, print_review, as_json=as_json)


def approve(
    proposal: ProposalArgument, fingerprint: FingerprintOption, comment: Comment = None, as_json: Json = False
) -> None:
    """Approve exactly the document that a review showed. You cannot approve your own proposal."""
    from treaty.registry.cli.output.proposals import print_approved

    with service.open_client() as registry:
        proposal_id = _id(registry, proposal)
        current = registry.preview(proposal_id)
        if len(fingerprint) < SHORTEST or not current.fingerprint.startswith(fingerprint.lower()):
            raise CliError(
                f"The fingerprint is now {current.fingerprint[:12]}. Review the document: treaty review {proposal}"
            )
        result = registry.approve(
            proposal_id, current.fingerprint, revision=current.revision, comment=comment, replay=True
        )
    service.print_result(result, print_approved, as_json=as_json)


def reject(proposal: ProposalArgument, reason: Reason, as_json: Json = False) -> None:
    """Reject a proposal with a reason for its author."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        row = registry.reject(_id(registry, proposal), reason)
    service.print_result(row, print_proposal, as_json=as_json)


def request_changes(proposal: ProposalArgument, text: Text, as_json: Json = False) -> None:
    """Request changes. The proposal cannot be approved until it is edited or you withdraw the request."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        current = registry.proposal(_id(registry, proposal))
        row = registry.request_changes(current.id, text, revision=current.revision)
    service.print_result(row, print_proposal, as_json=as_json)


def withdraw_changes(proposal: ProposalArgument, as_json: Json = False) -> None:
    """Withdraw your request for changes. Its text stays in the discussion."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        row = registry.withdraw_change_request(_id(registry, proposal))
    service.print_result(row, print_proposal, as_json=as_json)


def withdraw(proposal: ProposalArgument, as_json: Json = False) -> None:
    """Withdraw your own proposal."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        row = registry.withdraw(_id(registry, proposal))
    service.print_result(row, print_proposal, as_json=as_json)


def comment(proposal: ProposalArgument, text: Text, as_json: Json = False) -> None:
    """Comment on a proposal. Comments cannot be deleted."""
    from treaty.registry.cli.output.proposals import print_comment

    with service.open_client() as registry:
        created = registry.add_comment(_id(registry, proposal), text)
    service.print_result(created, print_comment, as_json=as_json)


def versions(contract: ContractName, as_json: Json = False) -> None:
    """List a contract's versions, newest first, with their states."""
    from treaty.registry.cli.output.proposals import print_versions

    with service.open_client() as registry:
        contract_out = registry.contract(contract)
    service.print_result(contract_out, print_versions, as_json=as_json)


def deprecate(
    contract: ContractName, version: Number, reason: Reason, successor: Successor = None, as_json: Json = False
) -> None:
    """Deprecate a version. It stays in force."""
    _retire_version(
        lambda registry: registry.deprecate(contract, version, reason, successor=successor), as_json=as_json
    )


def retire(
    contract: ContractName, version: Number, reason: Reason, successor: Successor = None, as_json: Json = False
) -> None:
    """Retire a version for good."""
    _retire_version(lambda registry: registry.retire(contract, version, reason, successor=successor), as_json=as_json)


def _retire_version(farewell: "Callable[[Client], schemas.VersionOut]", *, as_json: bool) -> None:
    """Change a version's state and print it."""
    from treaty.registry.cli.output.proposals import print_version

    with service.open_client() as registry:
        version = farewell(registry)
    service.print_result(version, print_version, as_json=as_json)


COMMANDS = (
    propose,
    inbox,
    review,
    approve,
    reject,
    request_changes,
    withdraw_changes,
    withdraw,
    comment,
    versions,
    deprecate,
    retire,
)


def _id(registry: "Client", named: str) -> UUID:
    """Return the proposal's id, or that of the contract's only open proposal.

    Raises CliError if there is no such proposal, or several."""
    try:
        return UUID(named)
    except ValueError:
        open_proposals = [each for each in registry.proposals(contract_id=named) if each.open]
    if len(open_proposals) == 1:
        return open_proposals[0].id
    raise CliError(_several(named, open_proposals))


def _several(contract: str, summaries: "list[schemas.ProposalSummaryOut]") -> str:
    if not summaries:
        return f"{contract} is not a proposal id, and no contract of that id has an open proposal that you can see."
    listing = "".join(f"\n  {each.id}  {each.title}" for each in summaries)
    return f"{contract} has {len(summaries)} open proposals. Use the id of one of them:{listing}"
