"""The folder of the files that Treaty stores on this machine."""

import logging
import os

from treaty.engine.core import private_files
from treaty.registry.core.settings import RegistrySettings

log = logging.getLogger("treaty.files")
PARTS = ("states", "patterns", "key-models", "logs")


def prepare(settings: RegistrySettings) -> None:
    """Create the home for its owner only, and restrict what Treaty stored in it.

    An existing home is not changed, because it may be any folder: the log names it if other users can list it.
    Raises EngineError if a file or folder in it cannot be restricted. Core dumps, which contain secrets, are
    switched off for this process and those that it starts."""
    _disable_core_dumps()
    home = settings.home
    if not private_files.make_folder(home) and home.stat().st_mode & private_files.OTHERS:
        log.warning("other users can list the folder %s; restrict it to its owner (chmod 700)", home)
    private_files.restrict([*(home / each for each in PARTS), *(home / "logs").glob("*.log")])


def _disable_core_dumps() -> None:
    if os.name == "posix":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, most))
