"""`treaty backup` and `treaty restore`: the embedded database with its files of states, in one file and back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treaty.engine.cli.commands import Stop
from treaty.registry.cli.commands import database
from treaty.registry.core.settings import load

if TYPE_CHECKING:
    from treaty.registry.worker.operations.backup import Manifest

Target = Annotated[Path, typer.Argument(metavar="FILE", help="a new file", show_default=False)]
Source = Annotated[Path, typer.Argument(metavar="FILE", help="a backup", show_default=False)]
Force = Annotated[bool, typer.Option("--force", help="move a database that is there aside; nobody may be using it")]
OF_POSTGRES = (
    "The database is PostgreSQL's: back it up first, with `pg_dump --format=custom`, and restore it first, with"
    " `pg_restore`."
)


def backup(file: Target) -> None:
    """Back up the embedded database and the files of states that it names, while the service runs.

    Key files and logs are not in it: keep the keys apart. Of PostgreSQL only the files of states are kept."""
    from treaty.engine.core import clock
    from treaty.registry.worker.operations.backup import make
    from treaty.registry.worker.operations.backup_archive import ArchiveError

    settings = load()
    with database.opened(settings) as engine:
        try:
            manifest = make(settings, engine, file, now=clock.now())
        except ArchiveError as error:
            raise Stop(str(error)) from None
    print(f"{file}: {_told(manifest)}")
    if manifest.lost:
        print(f"{len(manifest.lost)} files were gone or damaged already: their partitions will be read again")
    print(f"Not in it: {settings.key}, {settings.audit_key} and logs." if manifest.migration else OF_POSTGRES)


def restore(file: Source, force: Force = False) -> None:
    """Restore a backup to where there is no database yet; a damaged one is refused before anything is touched."""
    from treaty.engine.core import clock
    from treaty.registry.worker.operations.backup import restore as put_back
    from treaty.registry.worker.operations.backup_archive import ArchiveError

    try:
        manifest = put_back(load(), file, force=force, now=clock.now())
    except ArchiveError as error:
        raise Stop(str(error)) from None
    print(f"restored {_told(manifest)}, as of {manifest.made:%Y-%m-%d %H:%M:%S %Z}")


def _told(manifest: "Manifest") -> str:
    files = f"{manifest.files:,} files of states"
    if manifest.migration is None:
        return files
    return f"the database at schema {manifest.migration} with {manifest.entries:,} entries of its audit, {files}"
