"""Commands that list a contract's checks and compare two of its versions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treaty.contracts.document.model import Mode
from treaty.engine.cli.commands import PASSED, VIOLATED, CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands.exchange import Contract as ContractName
from treaty.registry.cli.commands.service import open_client, print_result

if TYPE_CHECKING:
    from treaty.contracts.document.model import Contract
    from treaty.registry.contracts.version_comparison import VersionDiff

SOURCE = "File, CONTRACT or CONTRACT@VERSION (by default the version in force)"
Old = Annotated[str, typer.Argument(metavar="OLD", help=SOURCE, show_default=False)]
New = Annotated[str, typer.Argument(metavar="NEW", help="Newer version, as OLD", show_default=False)]
Law = Annotated[Mode | None, typer.Option("--mode", help="Compatibility mode; by default those of the old version")]


def diff(old: Old, new: New, *, as_json: Json = False) -> None:
    """Show the differences between two versions and the direction of each.

    Exits with 0, with or without differences, and with 3 if a contract cannot be read."""
    from treaty.registry.api.http.diff_presenter import shown
    from treaty.registry.cli.output.diffs import print_diff

    print_result(shown(_compared(old, new)), print_diff, as_json=as_json)


def breaking(old: Old, new: New, mode: Law = None, *, as_json: Json = False) -> None:
    """Show changes that break the compatibility modes of the old version.

    Exits with 0 if there are none, 1 if there are some, and 3 if a contract cannot be read."""
    from treaty.registry.api.http.diff_presenter import shown
    from treaty.registry.cli.output.diffs import print_breaches

    version_diff = _compared(old, new, mode)
    print_result(shown(version_diff), print_breaches, as_json=as_json)
    raise typer.Exit(VIOLATED if version_diff.violations else PASSED)


def _compared(old: str, new: str, mode: Mode | None = None) -> "VersionDiff":
    from treaty.contracts.document.model import Compatibility
    from treaty.registry.contracts.version_comparison import compare_versions

    modes = Compatibility(structure=mode, guarantees=mode) if mode else None
    return compare_versions(_read(old), _read(new), modes=modes)


def _read(source: str) -> "Contract":
    """Return the contract from the file or the registry. Raises CliError if it cannot be read."""
    from treaty.contracts.document.reader import read

    path = Path(source)
    if path.exists():
        try:
            return read(path.read_bytes())
        except OSError as error:
            raise CliError(f"Cannot read {source}: {error.strerror}") from None
    if path.suffix in {".yaml", ".yml"}:
        raise CliError(f"File not found: {source}")
    name, _, version = source.partition("@")
    with open_client() as client:
        return read(client.document(name, version or None))


def checks(contract: ContractName, as_json: Json = False) -> None:
    """List the checks of a contract and where each is evaluated: by Treaty, another engine, or people.

    Checks of other engines are shown with the reason, checks by people with the signature. Exits with 0, also if no
    check is evaluated by Treaty, and with 3 if the contract cannot be read."""
    from treaty.contracts.document.reader import read
    from treaty.registry.api.http.check_presenter import shown
    from treaty.registry.cli.output.checks import print_checks

    path = Path(contract)
    if path.exists():
        try:
            listing = shown(read(path.read_bytes()))
        except OSError as error:
            raise CliError(f"Cannot read {path}: {error.strerror}") from None
    elif path.suffix in {".yaml", ".yml"}:
        raise CliError(f"File not found: {contract}")
    else:
        name, _, version = contract.partition("@")
        with open_client() as client:
            listing = client.checks(name, version or None)
    print_result(listing, print_checks, as_json=as_json)
