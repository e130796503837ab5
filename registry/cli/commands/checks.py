"""`treaty checks`: what a contract promises, and who judges each promise."""

from pathlib import Path

from treaty.engine.cli.commands import Stop
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands.exchange import Contract
from treaty.registry.cli.commands.service import opened, tell


def checks(contract: Contract, as_json: Json = False) -> None:
    """Show all checks of a contract: judged here, by another engine (with the reason), or by people (who signed).

    Exit code 0, also where nothing is judged here; 3 where the contract cannot be read."""
    from treaty.contracts.document.reader import read
    from treaty.registry.api.http.check_presenter import shown
    from treaty.registry.cli.output.checks import print_checks

    path = Path(contract)
    if path.exists():
        try:
            found = shown(read(path.read_bytes()))
        except OSError as error:
            raise Stop(f"{path} cannot be read: {error.strerror}") from None
    elif path.suffix in {".yaml", ".yml"}:
        raise Stop(f"there is no file {contract}")
    else:
        name, _, version = contract.partition("@")
        with opened() as client:
            found = client.checks(name, version or None)
    tell(found, print_checks, as_json=as_json)
