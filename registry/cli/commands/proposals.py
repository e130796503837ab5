"""Commands of proposals and versions: put forward, reviewed, decided, discussed, ended; and what waits for whom."""

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
Document = Annotated[Path, typer.Argument(metavar="FILE", help="a contract document", show_default=False)]
ProposalArgument = Annotated[
    str,
    typer.Argument(metavar="PROPOSAL", help="its id, or the contract whose only open one it is", show_default=False),
]
ContractName = Annotated[str, typer.Argument(metavar="CONTRACT", help="a contract's id", show_default=False)]
Number = Annotated[str, typer.Argument(metavar="VERSION", help="a version's number", show_default=False)]
Title = Annotated[str | None, typer.Option(help="what it is about; by default the contract's name and version")]
Comment = Annotated[str | None, typer.Option(help="what others should know; it stays in the discussion")]
Draft = Annotated[bool, typer.Option("--draft", help="do not put it before the owners yet")]
Reason = Annotated[str, typer.Option(help="why; it is kept", show_default=False)]
FingerprintOption = Annotated[
    str, typer.Option("--fingerprint", help="of what `treaty review` showed, or its beginning", show_default=False)
]
Successor = Annotated[str | None, typer.Option(help="the version to use in its place")]
Text = Annotated[str, typer.Argument(help="what to say", show_default=False)]


def propose(
    file: Document, title: Title = None, comment: Comment = None, draft: Draft = False, as_json: Json = False
) -> None:
    """Put a contract document forward as the next version. Its owners decide; you cannot, of what you propose."""
    from treaty.registry.cli.output.proposals import print_proposal

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"{file} cannot be read as text: {type(error).__name__}") from None
    with service.open_client() as registry:
        made = registry.propose(text, title=title, comment=comment, submit=not draft)
    service.print_result(made, print_proposal, as_json=as_json)


def inbox(as_json: Json = False) -> None:
    """Show what you decide, what you wait for, and what affects you."""
    from treaty.registry.cli.output.proposals import print_inbox

    with service.open_client() as registry:
        found = registry.inbox()
    service.print_result(found, print_inbox, as_json=as_json)


def review(proposal: ProposalArgument, as_json: Json = False) -> None:
    """Show what a proposal changes, whom it breaks, when it would have alerted, and what it lacks to be a version."""
    from treaty.registry.cli.output.proposals import ReviewBundle, print_review

    with service.open_client() as registry:
        row = registry.proposal(_id(registry, proposal))
        found = ReviewBundle(
            proposal=row,
            preview=registry.preview(row.id),
            diff=registry.proposal_diff(row.id),
            impact=tuple(registry.impact(row.id)),
            replay=registry.replay(row.id),
        )
    service.print_result(found, print_review, as_json=as_json)


def approve(
    proposal: ProposalArgument, fingerprint: FingerprintOption, comment: Comment = None, as_json: Json = False
) -> None:
    """Approve exactly what a review showed; of what you wrote yourself nobody lets you."""
    from treaty.registry.cli.output.proposals import print_approved

    with service.open_client() as registry:
        named = _id(registry, proposal)
        shown = registry.preview(named)
        if len(fingerprint) < SHORTEST or not shown.fingerprint.startswith(fingerprint.lower()):
            raise CliError(
                f"the document is {shown.fingerprint[:12]} now: see `treaty review {proposal}`, and approve that"
            )
        came = registry.approve(named, shown.fingerprint, revision=shown.revision, comment=comment, replay=True)
    service.print_result(came, print_approved, as_json=as_json)


def reject(proposal: ProposalArgument, reason: Reason, as_json: Json = False) -> None:
    """Decline a proposal, for a reason that its author reads."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        row = registry.reject(_id(registry, proposal), reason)
    service.print_result(row, print_proposal, as_json=as_json)


def request_changes(proposal: ProposalArgument, text: Text, as_json: Json = False) -> None:
    """Ask for changes of a proposal: nobody approves it until it is another, or you take that back."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        seen = registry.proposal(_id(registry, proposal))
        row = registry.request_changes(seen.id, text, revision=seen.revision)
    service.print_result(row, print_proposal, as_json=as_json)


def withdraw_changes(proposal: ProposalArgument, as_json: Json = False) -> None:
    """Ask for no changes of a proposal any more; what you said stays in its discussion."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        row = registry.withdraw_change_request(_id(registry, proposal))
    service.print_result(row, print_proposal, as_json=as_json)


def withdraw(proposal: ProposalArgument, as_json: Json = False) -> None:
    """Take your own proposal back."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        row = registry.withdraw(_id(registry, proposal))
    service.print_result(row, print_proposal, as_json=as_json)


def comment(proposal: ProposalArgument, text: Text, as_json: Json = False) -> None:
    """Say something about a proposal, for good."""
    from treaty.registry.cli.output.proposals import print_comment

    with service.open_client() as registry:
        said = registry.add_comment(_id(registry, proposal), text)
    service.print_result(said, print_comment, as_json=as_json)


def versions(contract: ContractName, as_json: Json = False) -> None:
    """Show a contract's versions, newest first, and which are in force."""
    from treaty.registry.cli.output.proposals import print_versions

    with service.open_client() as registry:
        found = registry.contract(contract)
    service.print_result(found, print_versions, as_json=as_json)


def deprecate(
    contract: ContractName, version: Number, reason: Reason, successor: Successor = None, as_json: Json = False
) -> None:
    """Advise against a version, which stays in force."""
    _retire_version(
        lambda registry: registry.deprecate(contract, version, reason, successor=successor), as_json=as_json
    )


def retire(
    contract: ContractName, version: Number, reason: Reason, successor: Successor = None, as_json: Json = False
) -> None:
    """End a version for good."""
    _retire_version(lambda registry: registry.retire(contract, version, reason, successor=successor), as_json=as_json)


def _retire_version(farewell: "Callable[[Client], schemas.VersionOut]", *, as_json: bool) -> None:
    """Says something of a version, and prints what it is now."""
    from treaty.registry.cli.output.proposals import print_version

    with service.open_client() as registry:
        found = farewell(registry)
    service.print_result(found, print_version, as_json=as_json)


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
    """The proposal of that id, or the only open one of that contract. Raises Stop where it is none, or several."""
    try:
        return UUID(named)
    except ValueError:
        found = [each for each in registry.proposals(contract_id=named) if each.open]
    if len(found) == 1:
        return found[0].id
    raise CliError(_several(named, found))


def _several(contract: str, found: "list[schemas.ProposalSummaryOut]") -> str:
    if not found:
        return f"{contract} is no proposal's id, and no contract of that id has an open proposal that you may see"
    told = "".join(f"\n  {each.id}  {each.title}" for each in found)
    return f"{contract} has {len(found)} open proposals: name one by its id{told}"
